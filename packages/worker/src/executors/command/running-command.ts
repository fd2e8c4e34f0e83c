import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptContext, Result } from '../../executor.ts';
import { LongTimer } from '../../long-timer.ts';
import { LineCapture } from './capture-lines.ts';
import { OutputCapture } from './capture-output.ts';
import { resultOf, spawnResult } from './command-result.ts';
import { FOLDER_VARIABLE } from './environment.ts';
import type { LogBudget } from './log-budget.ts';
import { MemoryWatch, outOfMemoryKills } from './memory-watch.ts';
import { ProcessTree } from './process-tree.ts';

const CLOSE_MS = 1_000;
/** Of the grace period, for the clean-up behind the kill: the worker does not wait longer. */
const CLEANUP_SHARE = 0.2;
const CLEANUP_MS_MAX = 500;

export interface CommandParams {
  readonly attempt: AttemptContext;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly umask: number | null;
  readonly input: Uint8Array | null;
  readonly memoryMb: number | undefined;
  readonly memoryPollMs: number;
  readonly outputBytesMax: number;
  readonly budget: LogBudget;
  readonly isIsolated: boolean;
  /** For file descriptor 3 of the process; null if it reads none. */
  readonly settings: string | null;
}

/** Runs the process to its end, and answers when nothing of it is left. */
export async function runCommand(params: CommandParams): Promise<Result> {
  const startedAt = performance.now();
  const killsBefore = outOfMemoryKills();
  const started = await start(params);
  if (!('pid' in started)) return spawnResult(started);
  const { child, pid } = started;
  const variable = `${FOLDER_VARIABLE}=${params.folder}`;
  const tree = new ProcessTree({ leader: pid, variable, isWalled: params.isIsolated });
  const output = capture(child, params);
  feed(child, params.input);
  feedSettings(child, params.settings);
  const memory = watchMemory(tree, params);
  const stop = stopOnAbort(tree, params.attempt);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const { code, signal } = await ended(child);
  memory?.stop();
  // What it started may still be cleaning up, and has the grace period for it like its parent.
  if (stop.fired()) await tree.gone(() => stop.msToKill());
  stop.off();
  // Otherwise a command lives as long as its first process: what that left behind ends with it.
  const isGone = await tree.end();
  tree.forget();
  if (!isGone) params.attempt.log('log', 'a process of the command could not be killed');
  await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  output.end();
  return resultOf(
    {
      code,
      signal,
      isStopped: stop.fired(),
      isOverMemory: memory?.exceeded === true,
      isOutOfMemory: outOfMemoryKills() > killsBefore,
      memoryMb: params.memoryMb,
      isIsolated: params.isIsolated,
      durationMs: Math.round(performance.now() - startedAt),
    },
    output.bytes(),
  );
}

async function start(
  params: CommandParams,
): Promise<{ child: ChildProcess; pid: number } | NodeJS.ErrnoException> {
  try {
    const child = withUmask(params.umask, () =>
      spawn(params.file, params.args, {
        cwd: params.folder,
        env: params.env,
        // Its own session and group: the whole of it can be signalled, and a terminal's Ctrl-C is not its.
        detached: true,
        stdio: [
          params.input === null ? 'ignore' : 'pipe',
          'pipe',
          'pipe',
          params.settings === null ? 'ignore' : 'pipe',
        ],
      }),
    );
    if (child.pid === undefined) return (await once(child, 'error'))[0] as NodeJS.ErrnoException;
    return { child, pid: child.pid };
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/**
 * A child inherits the mask at the moment it is started, and starting is synchronous. Files that this
 * process creates on other threads at that moment are private by the mode that they are created with.
 */
function withUmask<T>(umask: number | null, spawned: () => T): T {
  if (umask === null) return spawned();
  const own = process.umask(umask);
  try {
    return spawned();
  } finally {
    process.umask(own);
  }
}

function ended(
  child: ChildProcess,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  child.on('error', () => {});
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function feed(child: ChildProcess, input: Uint8Array | null): void {
  // A program may end without reading its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
}

function feedSettings(child: ChildProcess, settings: string | null): void {
  if (settings === null) return;
  const pipe = child.stdio[3] as Writable;
  // A command that is stopped before it runs does not read them to the end.
  pipe.on('error', () => {});
  pipe.end(settings);
}

function capture(
  child: ChildProcess,
  { attempt, budget, outputBytesMax }: CommandParams,
): { end(): void; bytes(): Uint8Array | null } {
  const output = new OutputCapture(outputBytesMax);
  const out = new LineCapture({ budget, log: (bytes) => attempt.log('stdout', bytes) });
  const err = new LineCapture({ budget, log: (bytes) => attempt.log('stderr', bytes) });
  child.stdout?.on('data', (chunk: Buffer) => {
    output.push(chunk);
    out.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  return {
    end() {
      out.end();
      err.end();
      budget.end();
      if (!output.isCut) return;
      attempt.log('log', `the output is truncated to ${outputBytesMax} of ${output.total} bytes`);
    },
    bytes: () => output.bytes(),
  };
}

function watchMemory(tree: ProcessTree, params: CommandParams): MemoryWatch | null {
  if (params.memoryMb === undefined) return null;
  return new MemoryWatch({
    tree,
    bytesMax: params.memoryMb * 1_048_576,
    pollMs: params.memoryPollMs,
  });
}

/** SIGTERM when the attempt is to stop, SIGKILL while there is still time to see that it worked. */
function stopOnAbort(
  tree: ProcessTree,
  attempt: AttemptContext,
): { off(): void; fired(): boolean; msToKill(): number } {
  let timer: LongTimer | undefined;
  let killAt: number | null = null;
  const stop = (): void => {
    const { graceMs } = attempt;
    const waitMs = graceMs - Math.min(graceMs * CLEANUP_SHARE, CLEANUP_MS_MAX);
    killAt = performance.now() + waitMs;
    if (waitMs > 0) void tree.terminate();
    timer = new LongTimer(() => void tree.signal('SIGKILL'), waitMs);
  };
  attempt.signal.addEventListener('abort', stop);
  if (attempt.signal.aborted) stop();
  return {
    off: () => {
      timer?.cancel();
      attempt.signal.removeEventListener('abort', stop);
    },
    fired: () => killAt !== null,
    msToKill: () => (killAt ?? 0) - performance.now(),
  };
}
