import { basename, dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from './program.ts';
import { fakeApp } from './testing/fake-app.ts';
import { asTyped, typedCommand } from './typed-command.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MAIN = resolve(ROOT, 'packages/cli/src/main.mjs');

describe('the command that a person is told to type', () => {
  it('works from where they are', () => {
    const from = (cwd: string, environment = {}) => typedCommand({ environment, cwd }, MAIN);
    expect(from(ROOT)).toBe('./signalbox');
    expect(from(ROOT, { npm_lifecycle_event: 'start' })).toBe('./signalbox');
    expect(from(ROOT, { npm_lifecycle_event: 'signalbox' })).toBe('npm run signalbox --');
    expect(from(dirname(ROOT))).toBe(`./${basename(ROOT)}/signalbox`);
    expect(from(resolve(ROOT, 'packages'))).toBe(resolve(ROOT, 'signalbox'));
    expect(from('/tmp', { npm_command: 'exec' })).toBe('npx signalbox');
  });

  it('is the one that was typed where it is installed', () => {
    const app = { environment: {}, cwd: '/tmp' };
    expect(typedCommand(app, '/usr/local/bin/signalbox')).toBe('signalbox');
    expect(typedCommand(app, '/srv/app/node_modules/signalbox/dist/command.mjs')).toBe(
      'npx signalbox',
    );
    expect(typedCommand(app, '/srv/app/node_modules/.bin/signalbox')).toBe('npx signalbox');
  });

  it('stands in hints, in help and in examples, and nowhere else', async () => {
    const command = './signalbox';
    const app = fakeApp({ command });
    expect(await runCommand(app, ['runs'])).toBe(5);
    expect(app.texts.err).toContain('start one with: ./signalbox dev;');
    expect(await runCommand(app, ['triggers', '--help'])).toBe(0);
    expect(app.texts.out).toContain('Usage: ./signalbox triggers');
    expect(app.texts.out).toContain(
      '$ ./signalbox triggers create after report --source signalbox ',
    );
    expect(asTyped(command, 'a source <(signalbox completion zsh) of /x/signalbox and')).toBe(
      'a source <(./signalbox completion zsh) of /x/signalbox and',
    );
  });
});
