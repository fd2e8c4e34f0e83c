import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { App } from '../app.ts';
import { addSettingOptions, settingsOf } from './setting-options.ts';

async function parsed(...words: string[]) {
  const command = new Command();
  addSettingOptions(command, { parts: ['worker'] });
  command.parse(words, { from: 'user' });
  const app = { cwd: '/', environment: {} } as unknown as App;
  return (await settingsOf(app, command, ['worker'])).values;
}

describe('a flag that is given twice', () => {
  it('adds to a list', async () => {
    expect(await parsed('--jobs', 'a.ts', '--jobs', 'b.ts,c.ts')).toMatchObject({
      jobs: ['a.ts', 'b.ts', 'c.ts'],
    });
    expect(await parsed('--labels', 'disk=ssd', '--labels', 'arch=arm64')).toMatchObject({
      labels: { disk: 'ssd', arch: 'arm64' },
    });
  });

  it('is refused where it takes one value', async () => {
    await expect(parsed('--zone', 'a', '--zone', 'b')).rejects.toThrow(
      '--zone is given twice, as a and b',
    );
  });
});
