import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireDebian } from '../../../../../tools/testing/debian.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { commandExecutor } from './command-executor.ts';
import { type Ending, resultOf, spawnResult } from './command-result.ts';
import { bubblewrapArguments, chooseIsolation } from './isolation.ts';

describe('the choice', () => {
  it('takes bubblewrap where it works, and does not start without where it is demanded', () => {
    expect(chooseIsolation('auto', () => true)).toBe('bubblewrap');
    expect(chooseIsolation(undefined, () => false)).toBe('none');
    expect(chooseIsolation('bubblewrap', () => true)).toBe('bubblewrap');
    expect(() => chooseIsolation('bubblewrap', () => false)).toThrow('bubblewrap is not installed');
    expect(chooseIsolation('none', () => expect.fail('not asked'))).toBe('none');
  });

  it('has no network unless asked, and hides the folders of others', () => {
    const params = {
      program: '/usr/bin/env',
      folder: '/tmp/a',
      folderRoot: tmpdir(),
      hide: ['/etc'],
    };
    const closed = bubblewrapArguments({ ...params, network: false });
    expect(closed).toContain('--unshare-net');
    expect(bubblewrapArguments({ ...params, network: true })).not.toContain('--unshare-net');
    const hidden = closed.filter((_, i) => closed[i - 1] === '--tmpfs');
    expect(hidden).toEqual(expect.arrayContaining(['/tmp', '/etc']));
    expect(hidden).not.toContain('/');
    // Its own folder is laid over the emptied ones, so it has to come later.
    expect(closed.lastIndexOf('--tmpfs')).toBeLessThan(closed.indexOf('--bind'));
    expect(closed.at(-1)).toBe('--');
    const inside = bubblewrapArguments({ ...params, program: '/etc/x', network: false });
    expect(inside.filter((_, i) => inside[i - 1] === '--tmpfs')).not.toContain('/etc');
  });
});

describe('the result', () => {
  const ending: Ending = {
    code: 0,
    signal: null,
    isStopped: false,
    isOverMemory: false,
    isOutOfMemory: false,
    memoryMb: 10,
    isIsolated: false,
    durationMs: 1,
  };

  it('knows a signal that bubblewrap tells as an exit code', () => {
    const killed = { ...ending, code: 137 };
    expect(resultOf(killed, null)).toMatchObject({ exitCode: 137 });
    expect(resultOf({ ...killed, isIsolated: true }, null)).toMatchObject({
      error: 'ended by SIGKILL',
      class: 'transient',
    });
  });

  it('takes a kill for want of memory for a lack of resources', () => {
    const killed = { ...ending, code: null, signal: 'SIGKILL' } as const;
    expect(resultOf({ ...killed, isOutOfMemory: true }, null)).toMatchObject({ class: 'resource' });
    expect(resultOf({ ...killed, isOverMemory: true }, null)).toMatchObject({ class: 'resource' });
    const term = { ...ending, code: null, signal: 'SIGTERM', isOutOfMemory: true } as const;
    expect(resultOf(term, null)).toMatchObject({ class: 'transient' });
  });

  it('tries again where the system only had no room for a process', () => {
    const error = (code: string) => Object.assign(new Error('spawn'), { code });
    expect(spawnResult(error('EAGAIN'))).toMatchObject({ class: 'transient' });
    expect(spawnResult(error('ENOENT'))).toMatchObject({ class: 'permanent' });
  });
});

const missing = bubblewrapMissing();
describe.skipIf(missing !== null)(
  `bubblewrap${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    let root: string;
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), 'signalbox-bwrap-test-'));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    it.each([
      ['WRK-17 cannot read the folder of another attempt', 'cat "$0"/other 2>/dev/null || echo no'],
      ['cannot write outside its folder', 'touch /etc/signalbox-test 2>/dev/null || echo no'],
      ['has no network', 'grep ":" /proc/net/dev | grep -v " lo:" >&2 || echo no'],
      ['does not see the worker', 'tr "\\0" "\\n" < /proc/$PPID/environ | grep SECRET || echo no'],
    ])('%s', async (_title, script) => {
      writeFileSync(join(root, 'other'), 'secret');
      process.env['SOME_SECRET'] = 'SECRET';
      const executor = commandExecutor({ allow: true, isolation: 'bubblewrap', folder: root });
      const command = { argv: ['sh', '-c', script, root] };
      const result = await executor.run(fakeAttempt({ work: { command } }));
      delete process.env['SOME_SECRET'];
      expect(Buffer.from(result.output ?? []).toString()).toBe('no\n');
    });
  },
);

function bubblewrapMissing(): string | null {
  const missing = requireDebian('bwrap', 'bubblewrap');
  if (missing !== null) return missing;
  try {
    chooseIsolation('bubblewrap');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
