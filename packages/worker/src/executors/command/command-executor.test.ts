import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireCommandWork } from '@signalbox/protocol/link';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Assign, Result } from '../../executor.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { commandExecutor } from './command-executor.ts';
import type { CommandExecutorOptions } from './command-options.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-command-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function prepare(
  work: WireCommandWork,
  more: Partial<CommandExecutorOptions> & { input?: string; assign?: Partial<Assign> } = {},
) {
  const { input, assign = {}, ...options } = more;
  const executor = commandExecutor({ allow: true, isolation: 'none', folder: root, ...options });
  const attempt = fakeAttempt({ work: { command: work }, input: input ?? null, assign });
  return { attempt, run: () => executor.run(attempt) };
}

const sh = (script: string): WireCommandWork => ({ argv: ['sh', '-c', script] });
const text = (result: Result): string => Buffer.from(result.output ?? []).toString();

describe('what runs', () => {
  it('passes arguments as they are: nothing is expanded by a shell', async () => {
    const argv = ['printf', '%s|', '$HOME', '*', 'a b', '; echo x', '`id`', '$(id)'];
    const result = await prepare({ argv }).run();
    expect(result).toMatchObject({ kind: 'succeeded', exitCode: 0 });
    expect(text(result)).toBe('$HOME|*|a b|; echo x|`id`|$(id)|');
  });

  it('does not run what the worker does not allow', async () => {
    const { run } = prepare(sh('touch ran'), { allow: ['printf', '/bin/echo'] });
    expect(await run()).toEqual({
      kind: 'failed',
      error: 'command_not_allowed: this worker does not run sh',
      class: 'permanent',
      output: null,
    });
    expect((await prepare({ argv: ['printf', 'x'] }, { allow: ['printf'] }).run()).kind).toBe(
      'succeeded',
    );
    // The same program under another name is not the one that was named.
    for (const name of ['/usr/bin/printf', './printf', '../bin/printf', 'PRINTF', 'printf ', '']) {
      const result = await prepare({ argv: [name, 'x'] }, { allow: ['printf'] }).run();
      expect([name, result.kind]).toEqual([name, 'failed']);
    }
  });

  it('gets the umask that the executor was given, and the worker keeps its own', async () => {
    const own = process.umask(0o077);
    try {
      expect(text(await prepare(sh('umask')).run())).toBe('0077\n');
      expect(text(await prepare(sh('umask'), { umask: 0o027 }).run())).toBe('0027\n');
      expect(process.umask(0o077)).toBe(0o077);
    } finally {
      process.umask(own);
    }
  });

  it('finds programs on the path of the worker, not on that of the definition', async () => {
    writeFileSync(join(root, 'printf'), '#!/bin/sh\necho forged', { mode: 0o755 });
    const work = { argv: ['printf', 'true one'], env: { PATH: root } };
    expect(text(await prepare(work).run())).toBe('true one');
    const refused = await prepare(work, { allow: ['printf'] }).run();
    expect(refused).toMatchObject({ kind: 'failed', class: 'permanent' });
  });

  it.each(['PATH', 'LD_PRELOAD', 'BASH_ENV', 'NODE_OPTIONS', 'PYTHONPATH'])(
    'a list of programs is not widened by %s',
    async (name) => {
      const work = { argv: ['printf', 'x'], env: { [name]: '/tmp/evil' } };
      expect(await prepare(work, { allow: ['printf'] }).run()).toMatchObject({
        class: 'permanent',
      });
    },
  );

  it.each([
    [{ argv: ['no-such-program-here'] }],
    [{ argv: ['/etc/passwd'] }],
    [{ argv: ['/tmp'] }],
    [{ argv: ['relative/path'] }],
    [{ argv: ['printf', 'a\0b'] }],
    [{ argv: ['relative/../path'] }],
    [{ argv: ['printf'], env: { 'A=B': 'x' } }],
    [{ argv: ['printf'], env: { SIGNALBOX_RUN_ID: 'mine' } }],
  ])('%j can never run', async (work) => {
    expect(await prepare(work).run()).toMatchObject({ kind: 'failed', class: 'permanent' });
    expect(readdirSync(root)).toEqual([]);
  });

  it('more arguments than the system takes can never run', async () => {
    const argv = ['true', ...new Array<string>(900).fill('x'.repeat(32_000))];
    expect(await prepare({ argv }).run()).toMatchObject({
      kind: 'failed',
      class: 'permanent',
      error: 'command_not_started: E2BIG',
    });
  });

  it('says that a task without a command is wrong', async () => {
    const executor = commandExecutor({ allow: true, isolation: 'none', folder: root });
    expect(await executor.run(fakeAttempt())).toMatchObject({ class: 'permanent' });
  });
});

describe('what it gets', () => {
  it('gets its ids and its own variables, and nothing of the worker', async () => {
    process.env['SIGNALBOX_KEY'] = 'sbx_secret';
    process.env['SOME_SECRET'] = 'hidden';
    try {
      const { attempt, run } = prepare({ argv: ['env', '-0'], env: { MINE: 'a=b', LANG: 'C' } });
      const output = text(await run());
      const env = Object.fromEntries(
        output
          .split('\0')
          .filter((line) => line !== '')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const folder = env['SIGNALBOX_FOLDER'];
      expect(env).toEqual({
        PATH: process.env['PATH'],
        HOME: folder,
        TMPDIR: folder,
        LANG: 'C',
        MINE: 'a=b',
        SIGNALBOX_TENANT: 'acme',
        SIGNALBOX_JOB: 'job',
        SIGNALBOX_RUN_ID: attempt.assign.run,
        SIGNALBOX_TASK_ID: `${attempt.assign.run}:main`,
        SIGNALBOX_ATTEMPT_ID: attempt.assign.id,
        SIGNALBOX_IDEMPOTENCY_KEY: attempt.assign.idempotencyKey,
        SIGNALBOX_INPUT_HASH: attempt.assign.inputHash,
        SIGNALBOX_FOLDER: folder,
      });
    } finally {
      delete process.env['SIGNALBOX_KEY'];
      delete process.env['SOME_SECRET'];
    }
  });

  it('gets the window that its run is for, and no variable of one where there is none', async () => {
    const window = { schedule: 'nightly', at: Date.UTC(2030, 0, 15, 2), kind: 'catchUp' } as const;
    const names = ['SCHEDULE', 'AT', 'KIND'].map((name) => `SIGNALBOX_WINDOW_${name}`);
    const argv = ['sh', '-c', `echo ${names.map((name) => `"\${${name}-unset}"`).join(' ')}`];
    const { run } = prepare({ argv }, { assign: { window } });
    expect(text(await run())).toBe('nightly 2030-01-15T02:00:00.000Z catchUp\n');
    expect(text(await prepare({ argv }).run())).toBe('unset unset unset\n');
  });

  it('reads the input where it is asked to, and nothing otherwise', async () => {
    const input = 'line\n'.repeat(50_000);
    expect(text(await prepare({ argv: ['cat'], stdin: 'input' }, { input }).run())).toBe(input);
    expect(text(await prepare({ argv: ['cat'] }, { input }).run())).toBe('');
    expect((await prepare({ argv: ['cat'], stdin: 'input' }).run()).output).toBeNull();
  });

  it('may end without reading its input', async () => {
    const work: WireCommandWork = { argv: ['true'], stdin: 'input' };
    expect((await prepare(work, { input: 'x'.repeat(1_000_000) }).run()).kind).toBe('succeeded');
  });

  it('WRK-17 works in a folder of its own, which is gone afterwards', async () => {
    const script =
      'mkdir -p a/b && echo secret > a/b/file && chmod 000 a/b a && stat -c %a . && pwd';
    const first = text(await prepare(sh(script)).run())
      .trim()
      .split('\n');
    expect(first[0]).toBe('700');
    expect(first[1]?.startsWith(join(root, 'signalbox-attempt-'))).toBe(true);
    expect(existsSync(first[1] ?? '')).toBe(false);
    const second = text(
      await prepare({
        argv: [...sh('pwd; ls -A; cat "$0"/a/b/file; true').argv, first[1] ?? ''],
      }).run(),
    ).trim();
    expect(second).not.toBe(first[1]);
    expect(second).not.toContain('secret');
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('how it ends', () => {
  it.each([
    ['exit 0', { kind: 'succeeded', exitCode: 0 }],
    ['exit 3', { kind: 'failed', exitCode: 3, error: 'ended with exit code 3' }],
    ['exit 126', { kind: 'failed', exitCode: 126, class: 'permanent' }],
    ['no-such-program', { kind: 'failed', exitCode: 127, class: 'permanent' }],
    ['kill -9 $$', { kind: 'failed', class: 'transient', error: 'ended by SIGKILL' }],
    ['kill -15 $$', { kind: 'failed', class: 'transient', error: 'ended by SIGTERM' }],
  ])('%s', async (script, expected) => {
    const result = await prepare(sh(script)).run();
    expect(result).toMatchObject(expected);
    expect(result.kind !== 'stopped' && typeof result.durationMs).toBe('number');
    if (script === 'exit 3') expect(result).not.toHaveProperty('class');
  });

  it('logs both streams by lines, and answers with the standard output', async () => {
    const { attempt, run } = prepare(sh('printf "one\\ntwo\\n"; echo bad >&2; printf last'));
    expect(text(await run())).toBe('one\ntwo\nlast');
    expect(attempt.logged).toEqual({ stdout: 'one\ntwo\nlast\n', stderr: 'bad\n', log: '' });
  });

  it('cuts the output, and says so', async () => {
    const { attempt, run } = prepare(sh('printf 0123456789'), { outputBytesMax: 4 });
    expect(text(await run())).toBe('0123');
    expect(attempt.logged.log).toBe('the output is truncated to 4 of 10 bytes\n');
  });

  it('bounds the log of a command that prints without end, and says so', async () => {
    const { attempt, run } = prepare(sh('yes | head -c 3000000'), {
      logBytesMax: 100_000,
      logBytesPerSecond: 50_000,
    });
    expect((await run()).kind).toBe('succeeded');
    expect(attempt.logged.stdout.length).toBeLessThanOrEqual(100_000);
    expect(attempt.logged.stdout.length).toBeGreaterThan(50_000);
    expect(attempt.logged.log).toContain(
      'the log is truncated here: an attempt can log at most 100000 bytes',
    );
    expect(attempt.logged.log).toMatch(/\d{7} bytes of output were not logged/);
  });

  it('ends within bounds although something it started keeps the pipe open', async () => {
    const { run } = prepare(sh('sleep 1000 & echo started'));
    const result = await run();
    expect([result.kind, text(result)]).toEqual(['succeeded', 'started\n']);
  });
});
