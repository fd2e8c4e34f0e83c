import { constants } from 'node:os';
import type { Result } from '../../executor.ts';

/** How a command came to its end. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was stopped before it ended. */
  readonly isStopped: boolean;
  readonly isOverMemory: boolean;
  /** The kernel killed for want of memory while it ran. */
  readonly isOutOfMemory: boolean;
  readonly memoryMb: number | undefined;
  readonly isIsolated: boolean;
  readonly durationMs: number;
}

const SIGNAL_BASE = 128;

export function resultOf(ending: Ending, output: Uint8Array | null): Result {
  const { durationMs, memoryMb } = ending;
  if (ending.isOverMemory) {
    const error = `out_of_memory: the command used more than ${memoryMb} MB`;
    return { kind: 'failed', error, class: 'resource', durationMs, output: null };
  }
  // Also with exit code 0: most programs exit with 0 when they are stopped, with their work unfinished.
  if (ending.isStopped) return { kind: 'stopped', output: null };
  const signal = ending.signal ?? signalOf(ending);
  if (signal !== null) {
    const isResource = signal === 'SIGKILL' && ending.isOutOfMemory;
    return {
      kind: 'failed',
      error: isResource ? 'out_of_memory: the system killed the command' : `ended by ${signal}`,
      class: isResource ? 'resource' : 'transient',
      durationMs,
      output: null,
    };
  }
  const exitCode = ending.code ?? 0;
  if (exitCode === 0) return { kind: 'succeeded', exitCode, durationMs, output };
  const error = `ended with exit code ${exitCode}`;
  // By the convention of shells and launchers: found but not to be run, and not found.
  const isPermanent = exitCode === 126 || exitCode === 127;
  const severity = isPermanent ? ({ class: 'permanent' } as const) : {};
  return { kind: 'failed', error, ...severity, exitCode, durationMs, output: null };
}

/** Bubblewrap tells the signal of what it ran as an exit code. */
function signalOf({ code, isIsolated }: Ending): string | null {
  if (!isIsolated || code === null || code <= SIGNAL_BASE) return null;
  const number = code - SIGNAL_BASE;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? null;
}

/** Errors of the system when the process does not start. */
export function spawnResult(error: NodeJS.ErrnoException): Result {
  const busy = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY'].includes(error.code ?? '');
  return {
    kind: 'failed',
    error: `command_not_started: ${error.code ?? error.message}`,
    class: busy ? 'transient' : 'permanent',
    output: null,
  };
}
