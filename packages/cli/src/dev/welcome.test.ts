import { basename, dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandName } from './welcome.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const MAIN = resolve(ROOT, 'packages/cli/src/main.mjs');

describe('the command that a person is told to type', () => {
  it('works from where they are', () => {
    const from = (cwd: string, environment = {}) => commandName({ environment, cwd }, MAIN);
    expect(from(ROOT)).toBe('./signalbox');
    expect(from(ROOT, { npm_lifecycle_event: 'start' })).toBe('./signalbox');
    expect(from(dirname(ROOT))).toBe(`./${basename(ROOT)}/signalbox`);
    expect(from(resolve(ROOT, 'packages'))).toBe(resolve(ROOT, 'signalbox'));
    expect(from('/tmp', { npm_command: 'exec' })).toBe('npx signalbox');
  });

  it('is the one that was typed where it is installed', () => {
    const app = { environment: {}, cwd: '/tmp' };
    expect(commandName(app, '/usr/local/bin/signalbox')).toBe('signalbox');
    expect(commandName(app, '/srv/app/node_modules/@signalbox/cli/dist/main.mjs')).toBe(
      'npx signalbox',
    );
  });
});
