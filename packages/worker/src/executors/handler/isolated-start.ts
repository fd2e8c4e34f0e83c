import { type ChildProcess, spawn } from 'node:child_process';
import { Worker as Thread } from 'node:worker_threads';
import type { Result } from '../../executor.ts';
import type { FromIsolated, ToIsolated } from './isolated-messages.ts';

/** A thread or process that runs one handler, seen from the worker. */
export interface Isolated {
  send(message: ToIsolated): void;
  listen(handlers: {
    message(message: FromIsolated): void;
    output(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
    /** It has exited and its output has been read. `failure` is the result if it sent none. */
    ended(failure: Result): void;
  }): void;
  /** It has sent its result; everything that it left running ends with it. */
  finish(): void;
  kill(): void;
}

interface Start {
  readonly source: string;
  /** What the task asked for; 0 for no limit of its own. */
  readonly memoryMb: number;
}

const EXIT_MS = 2_000;
/** For what it printed last, which may still be in the pipes when it has exited. */
const PIPES_MS = 250;
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

export function startThread({ source, memoryMb }: Start): Isolated {
  const thread = new Thread(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    stdout: true,
    stderr: true,
    execArgv: NODE_FLAGS,
    env: childEnv(),
    ...(memoryMb > 0 ? { resourceLimits: { maxOldGenerationSizeMb: memoryMb } } : {}),
  });
  let error: (Error & { code?: string }) | null = null;
  return {
    send: (message) => thread.postMessage(message),
    listen: ({ message, output, ended }) => {
      thread.on('message', message);
      thread.stdout.on('data', (bytes: Buffer) => output('stdout', bytes));
      thread.stderr.on('data', (bytes: Buffer) => output('stderr', bytes));
      thread.on('error', (thrown: Error) => {
        error = thrown;
      });
      thread.on('exit', (exitCode) => {
        const isFull = error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
        const why = error === null ? `the thread ended with exit code ${exitCode}` : error.message;
        ended(failed(why, { exitCode, ...(isFull ? { class: 'resource' } : {}) }));
      });
    },
    finish: () => void thread.terminate(),
    kill: () => void thread.terminate(),
  };
}

export function startProcess({ source, memoryMb }: Start): Isolated {
  const limit = memoryMb > 0 ? [`--max-old-space-size=${memoryMb}`] : [];
  const args = [...NODE_FLAGS, ...limit, '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    env: childEnv(),
    // A group of its own, so that what it starts can be ended with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let late: NodeJS.Timeout | undefined;
  let pipes: NodeJS.Timeout | undefined;
  return {
    send: (message) => {
      if (child.connected) child.send(message, () => {});
    },
    listen: ({ message, output, ended }) => {
      child.on('message', (value) => message(value as unknown as FromIsolated));
      child.stdout?.on('data', (bytes: Buffer) => output('stdout', bytes));
      child.stderr?.on('data', (bytes: Buffer) => output('stderr', bytes));
      child.on('error', (error) => {
        if (child.pid === undefined) ended(failed(error.message, { class: 'transient' }));
      });
      child.on('exit', () => {
        clearTimeout(late);
        killGroup(child);
        // A daemon that has left the group holds the pipes for as long as it lives.
        pipes = setTimeout(() => setImmediate(() => closePipes(child)), PIPES_MS);
      });
      // `close` and not `exit`: what it printed last is still in the pipes at `exit`.
      child.on('close', (code, signal) => {
        clearTimeout(pipes);
        if (child.pid === undefined) return;
        const isFull = limit.length > 0 && signal === 'SIGABRT';
        ended(exited({ code, signal, isFull }));
      });
    },
    // It exits by itself; one that cannot is not waited for.
    finish: () => {
      late = setTimeout(() => killGroup(child), EXIT_MS);
    },
    kill: () => killGroup(child),
  };
}

function closePipes({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already, and everything with it.
  }
}

function exited(end: { code: number | null; signal: string | null; isFull: boolean }): Result {
  const how = end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
  const exit = end.code === null ? {} : { exitCode: end.code };
  const full = end.isFull ? ({ class: 'resource' } as const) : {};
  return failed(`the process ended with ${how}`, { ...exit, ...full });
}

type Failed = Result & { kind: 'failed' };

function failed(error: string, more: Partial<Failed>): Result {
  return { kind: 'failed', error, ...more, output: null };
}

/** The worker's own key and settings are not the job's. */
function childEnv(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SIGNALBOX_'));
  return Object.fromEntries(own);
}
