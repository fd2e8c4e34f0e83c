import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogStream, WireCommandWork } from '@signalbox/protocol/link';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { commandExecutor } from './command-executor.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-command-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Starts the command; `printed` resolves once it has printed so many lines. */
function start(work: WireCommandWork, graceMs = 2_000) {
  const executor = commandExecutor({
    allow: true,
    isolation: 'none',
    folder: root,
    memoryPollMs: 50,
  });
  const attempt = fakeAttempt({ work: { command: work }, graceMs });
  const seen = Promise.withResolvers<void>();
  const log = attempt.log.bind(attempt);
  let wanted = Number.POSITIVE_INFINITY;
  const look = (): void => {
    if (attempt.logged.stdout.split('\n').length > wanted) seen.resolve();
  };
  attempt.log = (stream: LogStream, text: string | Uint8Array) => {
    log(stream, text);
    look();
  };
  const done = executor.run(attempt);
  const printed = async (lines: number): Promise<string[]> => {
    wanted = lines;
    look();
    await seen.promise;
    return attempt.logged.stdout.trim().split('\n');
  };
  return { attempt, done, printed };
}

const sh = (script: string): WireCommandWork => ({ argv: ['sh', '-c', script] });

/** A dead process that waits to be reaped does not count: who reaps it is not ours to say. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

describe('stopping', () => {
  it('asks first, and lets the command and its children clean up', async () => {
    const child = `trap 'sleep 0.3; echo child cleaned; exit 0' TERM; echo up; while :; do sleep 0.05; done`;
    const { attempt, done, printed } = start(
      sh(
        `sh -c "${child}" & trap 'echo cleaned; exit 0' TERM; echo up; while :; do sleep 0.05; done`,
      ),
    );
    await printed(2);
    attempt.abort();
    expect(await done).toEqual({ kind: 'stopped', output: null });
    expect(attempt.logged.stdout).toContain('\ncleaned');
    expect(attempt.logged.stdout).toContain('child cleaned');
  });

  it('kills for real what ignores SIGTERM, with its children and theirs, within the grace', async () => {
    const stubborn = `trap "" TERM; sh -c 'trap "" TERM; echo $$; sleep 1000 & wait; sleep 1000' & echo $$; wait; sleep 1000`;
    const { attempt, done, printed } = start(sh(stubborn), 500);
    const pids = (await printed(2)).map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    const at = performance.now();
    attempt.abort();
    expect(await done).toEqual({ kind: 'stopped', output: null });
    expect(performance.now() - at).toBeGreaterThan(350);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('kills at once where there is no grace', async () => {
    const { attempt, done, printed } = start(
      sh('trap "" TERM; echo $$; sleep 1000; sleep 1000'),
      0,
    );
    const [pid] = (await printed(1)).map(Number);
    attempt.abort('stale');
    expect((await done).kind).toBe('stopped');
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('finds what has left the group and the session', async () => {
    const script = 'setsid sh -c \'trap "" TERM; echo $$; exec sleep 1000\' & wait; sleep 1000';
    const { attempt, done, printed } = start(sh(script), 300);
    const [pid] = (await printed(1)).map(Number);
    attempt.abort();
    await done;
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('WRK-17 leaves no process behind when the command ends by itself', async () => {
    // Twice forked and in a session of its own: nobody is left who knows its parent.
    const daemon =
      "(setsid sh -c 'echo $$; touch up; exec sleep 1000' &); until [ -e up ]; do sleep 0.02; done";
    const { done, printed } = start(sh(daemon));
    const [pid] = (await printed(1)).map(Number);
    expect((await done).kind).toBe('succeeded');
    expect(pid).toBeGreaterThan(1);
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('does not wait for a daemon that nothing leads to any more', async () => {
    const daemon =
      "(env -i setsid sh -c 'echo $$; touch up; exec sleep 1000' &); until [ -e up ]; do sleep 0.02; done";
    const { done, printed } = start(sh(daemon));
    const [pid = 0] = (await printed(1)).map(Number);
    expect(pid).toBeGreaterThan(1);
    expect((await done).kind).toBe('succeeded');
    process.kill(pid, 'SIGKILL');
  });

  it('touches no process of anybody else', async () => {
    const stranger = spawn('sleep', ['1000'], { stdio: 'ignore' });
    await once(stranger, 'spawn');
    try {
      const { attempt, done, printed } = start(sh('echo up; sleep 1000'));
      await printed(1);
      attempt.abort();
      await done;
      expect(isAlive(stranger.pid ?? 0)).toBe(true);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('does not start what is to stop already', async () => {
    const executor = commandExecutor({ allow: true, isolation: 'none', folder: root });
    const attempt = fakeAttempt({ work: { command: sh('echo ran') } });
    attempt.abort();
    expect((await executor.run(attempt)).kind).toBe('stopped');
    expect(attempt.logged.stdout).toBe('');
  });
});

describe('memory', () => {
  const quick = 'const b = Buffer.alloc(2e8, 1); setTimeout(() => process.exit(b[0] - 1), 500)';
  const hog =
    'const b = []; for (let i = 0; i < 40; i++) b.push(Buffer.alloc(8e6, 1)); setInterval(() => b, 1e6)';

  it('ends what takes more than it may, also in a child, as a lack of resources', async () => {
    const work = {
      argv: ['sh', '-c', '"$0" -e "$1" & wait', process.execPath, hog],
      memoryMb: 150,
    };
    const { done } = start(work);
    expect(await done).toMatchObject({
      kind: 'failed',
      class: 'resource',
      error: 'out_of_memory: the command used more than 150 MB',
    });
  });

  it('FLT-03 takes the request for the limit where that is larger, or all there is', async () => {
    const executor = commandExecutor({
      allow: true,
      isolation: 'none',
      folder: root,
      memoryPollMs: 50,
    });
    const request = { cpuMilli: 0, memoryMb: 120, gpu: 0, diskMb: 0, slots: 1 };
    const run = (memoryMb: number | undefined, resources: typeof request) => {
      const command = { argv: [process.execPath, '-e', quick], memoryMb };
      return executor.run(fakeAttempt({ work: { command }, assign: { request: resources } }));
    };
    expect(await run(undefined, request)).toMatchObject({
      error: 'out_of_memory: the command used more than 120 MB',
    });
    expect((await run(50, { ...request, memoryMb: 2_000 })).kind).toBe('succeeded');
  });

  it('lets run what stays below', async () => {
    const { done } = start({ argv: ['sleep', '0.3'], memoryMb: 100 });
    expect((await done).kind).toBe('succeeded');
  });

  it('says how it is kept', () => {
    expect(commandExecutor({ allow: true, isolation: 'none' })).toMatchObject({
      isolation: 'none',
      memoryLimit: 'polled',
    });
  });
});

describe('the end of the worker', () => {
  it('takes its commands along', async () => {
    const module = new URL('./command-executor.ts', import.meta.url).href;
    const fake = new URL('../testing/fake-attempt.ts', import.meta.url).href;
    const script = `
      const { commandExecutor } = await import(${JSON.stringify(module)});
      const { fakeAttempt } = await import(${JSON.stringify(fake)});
      const attempt = fakeAttempt({ work: { command: { argv: ['sh', '-c', 'echo $$; sleep 1000'] } } });
      attempt.log = (_stream, text) => { process.stdout.write(text, () => process.exit(0)); };
      await commandExecutor({ allow: true, isolation: 'none', folder: ${JSON.stringify(root)} }).run(attempt);`;
    const worker = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let printed = '';
    worker.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await once(worker, 'close');
    const pid = Number(printed);
    expect(pid).toBeGreaterThan(1);
    // It was killed before the worker ended; on a busy machine it takes a moment to be gone.
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  });
});
