import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireDebian } from '../../../../../tools/testing/debian.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { bubblewrapOptions } from './bubblewrap.ts';
import { commandExecutor } from './command-executor.ts';
import { type Ending, resultOf, spawnResult } from './command-result.ts';
import { chooseIsolation } from './isolation.ts';

const probes = (bubblewrap: boolean, namespaces: boolean) => ({
  bubblewrap: () => bubblewrap,
  namespaces: () => namespaces,
});

describe('the choice', () => {
  it('takes the strongest that works', () => {
    expect(chooseIsolation('auto', probes(true, true))).toBe('bubblewrap');
    expect(chooseIsolation(undefined, probes(false, true))).toBe('namespaces');
    expect(chooseIsolation('auto', probes(false, false))).toBe('none');
    const unasked = () => expect.fail('not asked');
    expect(chooseIsolation('none', { bubblewrap: unasked, namespaces: unasked })).toBe('none');
  });

  it('does not replace what is demanded by something weaker', () => {
    expect(chooseIsolation('bubblewrap', probes(true, true))).toBe('bubblewrap');
    expect(chooseIsolation('namespaces', probes(true, true))).toBe('namespaces');
    expect(() => chooseIsolation('bubblewrap', probes(false, true))).toThrow(
      'bubblewrap is not installed',
    );
    expect(() => chooseIsolation('namespaces', probes(true, false))).toThrow(
      'user namespaces cannot be used',
    );
  });

  it('finds neither on a path without their programs', () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      expect(chooseIsolation('auto')).toBe('none');
      expect(() => commandExecutor({ allow: true, isolation: 'bubblewrap' })).toThrow('bubblewrap');
      expect(() => commandExecutor({ allow: true, isolation: 'namespaces' })).toThrow('unshare');
      const { isolation, alsoOffers } = commandExecutor({ allow: true });
      expect({ isolation, alsoOffers }).toEqual({ isolation: 'none', alsoOffers: undefined });
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('has no network unless asked, and hides the folders and files of others', () => {
    const params = {
      program: '/usr/bin/env',
      folder: '/tmp/a',
      folderRoot: tmpdir(),
      hide: ['/etc', '/etc/passwd', '/nowhere'],
    };
    const closed = bubblewrapOptions({ ...params, network: false });
    expect(closed).toContain('--unshare-net');
    expect(bubblewrapOptions({ ...params, network: true })).not.toContain('--unshare-net');
    const hidden = closed.filter((_, i) => closed[i - 1] === '--tmpfs');
    expect(hidden).toEqual(expect.arrayContaining(['/tmp', '/etc']));
    expect(hidden).not.toContain('/');
    expect(closed.join(' ')).toContain('--ro-bind /dev/null /etc/passwd');
    // Its own folder is laid over the emptied ones, so it has to come later.
    expect(closed.lastIndexOf('--tmpfs')).toBeLessThan(closed.indexOf('--bind'));
    const inside = bubblewrapOptions({ ...params, program: '/etc/x', network: false });
    expect(inside.filter((_, i) => inside[i - 1] === '--tmpfs')).not.toContain('/etc');
  });
});

it('a command that must be isolated does not run without isolation', async () => {
  const executor = commandExecutor({ allow: true, isolation: 'none' });
  const command = { argv: ['echo', 'ran'], isolated: true };
  expect(await executor.run(fakeAttempt({ work: { command } }))).toEqual({
    kind: 'failed',
    error: 'isolation_unavailable: this worker cannot isolate commands',
    class: 'permanent',
    output: null,
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

requireDebian('bwrap', 'bubblewrap');

/** Without a skip: where a wall does not work, a worker that demands it must not start. */
describe.each(['bubblewrap', 'namespaces'] as const)('%s', (isolation) => {
  const missing = missingOf(isolation);
  if (missing !== null) {
    it('refuses to start where it does not work', () => {
      expect(() => commandExecutor({ allow: true, isolation })).toThrow(missing);
    });
    return;
  }
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'signalbox-bwrap-test-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ['WRK-17 cannot read the folder of another attempt', 'cat "$0"/other 2>/dev/null || echo no'],
    ['has no network', 'grep ":" /proc/net/dev | grep -v " lo:" >&2 || echo no'],
    ['does not see the worker', 'tr "\\0" "\\n" < /proc/$PPID/environ | grep SECRET || echo no'],
    ['does not see processes of the worker', 'test -e /proc/' + process.pid + ' || echo no'],
    ['does not see hidden folders', 'ls -A /usr/share/doc 2>/dev/null; echo no'],
    ['does not see hidden files', 'cat /etc/hostname; echo no'],
    [
      'cannot uncover what is hidden',
      'umount "$0" 2>/dev/null; cat "$0"/other 2>/dev/null || echo no',
    ],
  ])('%s', async (_title, script) => {
    writeFileSync(join(root, 'other'), 'secret');
    process.env['SOME_SECRET'] = 'SECRET';
    const hide = ['/usr/share/doc', '/etc/hostname'];
    const executor = commandExecutor({ allow: true, isolation, folder: root, hide });
    const command = { argv: ['sh', '-c', script, root] };
    const result = await executor.run(fakeAttempt({ work: { command } }));
    delete process.env['SOME_SECRET'];
    expect(Buffer.from(result.output ?? []).toString()).toBe('no\n');
  });

  it('starts with its variables, folder and arguments, and with no code outside', async () => {
    const executor = commandExecutor({ allow: true, isolation, folder: root, umask: 0o027 });
    expect(executor.alsoOffers).toEqual(['command-isolated']);
    const out = join(root, 'outside');
    // The loader writes this file for every program that starts with these variables.
    const env = {
      LD_DEBUG: 'libs',
      LD_DEBUG_OUTPUT: out,
      ODD: 'a "b"\n$c',
      count: '7',
      PATH: '/nowhere',
    };
    const script = 'printf "%s|" "$ODD" "$count" "$0" "$PWD" "$(umask)"; echo > here; exit 3';
    const command = { argv: ['sh', '-c', script, 'a b'], env };
    const attempt = fakeAttempt({ work: { command } });
    const { kind, ...result } = await executor.run(attempt);
    expect({ kind, exitCode: (result as { exitCode?: number }).exitCode }).toEqual({
      kind: 'failed',
      exitCode: 3,
    });
    const folder = expect.stringMatching(/signalbox-attempt-\w+$/);
    expect(attempt.logged.stdout.split('|')).toEqual([
      'a "b"\n$c',
      '7',
      'a b',
      folder,
      expect.stringMatching(/^0?027$/),
      '\n',
    ]);
    expect(readdirSync(root)).toEqual([]);
  });

  async function stopped(script: string, graceMs: number) {
    const executor = commandExecutor({ allow: true, isolation, folder: root });
    const work = { command: { argv: ['sh', '-c', script] } };
    const attempt = fakeAttempt({ work, graceMs });
    const running = executor.run(attempt);
    await expect.poll(() => attempt.logged.stdout, { timeout: 5_000 }).toContain('start');
    const abortedAt = performance.now();
    attempt.abort();
    const { kind } = await running;
    return { kind, out: attempt.logged.stdout, ms: performance.now() - abortedAt };
  }

  if (isolation === 'bubblewrap') {
    it('cannot write outside its folder', async () => {
      const executor = commandExecutor({ allow: true, isolation, folder: root });
      const argv = ['sh', '-c', 'touch /etc/signalbox-test 2>/dev/null || echo no'];
      const result = await executor.run(fakeAttempt({ work: { command: { argv } } }));
      expect(Buffer.from(result.output ?? []).toString()).toBe('no\n');
    });

    it('WRK-17 finds nothing that another attempt has written, while that runs and after it has ended', async () => {
      const executor = commandExecutor({ allow: true, isolation: 'bubblewrap', folder: root });
      const secret = `secret-${process.pid}-${performance.now()}`;
      const writes = 'for d in . /tmp /dev/shm "$HOME"; do echo "$0" > "$d"/data; done 2>/dev/null';
      const wait = 'cat data; echo up; trap "exit 0" TERM; while :; do sleep 0.05; done';
      const first = fakeAttempt({
        work: { command: { argv: ['sh', '-c', `${writes}; ${wait}`, secret] } },
        graceMs: 2_000,
      });
      const running = executor.run(first);
      await expect.poll(() => first.logged.stdout, { timeout: 5_000 }).toContain('up');
      // It did write: otherwise there would be nothing to find.
      expect(first.logged.stdout).toContain(secret);
      const look = async (): Promise<string> => {
        const places =
          '. "$0" /tmp /var/tmp /dev/shm /run "$HOME" /proc/[0-9]*/environ /proc/[0-9]*/cmdline';
        // The pattern is split, so that the search does not find its own command line.
        const [start, end] = [secret.slice(0, 10), secret.slice(10)];
        const search = `p='${start}'; p="\${p}${end}"; grep -rsl "$p" ${places} || echo nothing`;
        const result = await executor.run(
          fakeAttempt({ work: { command: { argv: ['sh', '-c', search, root] } } }),
        );
        return Buffer.from(result.output ?? []).toString();
      };
      expect(await look()).toBe('nothing\n');
      first.abort();
      await running;
      expect(await look()).toBe('nothing\n');
      expect(readdirSync(root)).toEqual([]);
    });
  }

  it('WRK-17 has the grace period to clean up when it is stopped', async () => {
    const trap = 'trap "echo got-term; sleep 0.3; echo cleaned; exit 0" TERM';
    const script = `${trap}; echo start; while :; do sleep 0.1; done`;
    const { kind, out, ms } = await stopped(script, 5_000);
    expect({ kind, out }).toEqual({ kind: 'stopped', out: 'start\ngot-term\ncleaned\n' });
    expect(ms).toBeLessThan(4_000);
  });

  it('is killed after the grace period when it does not listen', async () => {
    const script = 'trap "" TERM; echo start; while :; do sleep 0.1; done';
    const { kind, ms } = await stopped(script, 1_000);
    expect(kind).toBe('stopped');
    expect(ms).toBeGreaterThan(700);
    expect(ms).toBeLessThan(4_000);
  });

  it('ends at once when it is stopped before the command has begun', async () => {
    const executor = commandExecutor({ allow: true, isolation, folder: root });
    const attempt = fakeAttempt({ work: { command: { argv: ['sleep', '60'] } } });
    const running = executor.run(attempt);
    const hasFolder = () => readdirSync(root).length > 0;
    await expect.poll(hasFolder, { interval: 1 }).toBe(true);
    const abortedAt = performance.now();
    attempt.abort();
    expect((await running).kind).toBe('stopped');
    expect(performance.now() - abortedAt).toBeLessThan(2_500);
  });
});

function missingOf(isolation: 'bubblewrap' | 'namespaces'): string | null {
  try {
    chooseIsolation(isolation);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
