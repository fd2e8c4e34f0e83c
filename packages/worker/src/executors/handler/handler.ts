import type { Duration } from '@signalbox/protocol/link';

/**
 * The function that does a task's work. `input` is the parsed value where the bytes are JSON, the
 * bytes themselves where they are not, undefined where there are none. What it returns is the
 * output: any JSON value, bytes, or nothing.
 */
export type Handler = (input: never, context: HandlerContext) => unknown;

/** A handler in a separate file, run in a thread or process of its own. */
export interface HandlerModule {
  /** A path, or a file URL. */
  readonly module: string | URL;
  /** Name of the export. Default: `default`. */
  readonly export?: string;
  /**
   * `thread`: an endless loop, an exception or a full heap ends with the thread. `process`: also
   * a crash of native code and everything that it leaves in memory or has started, except for detached
   * processes. Each attempt gets a new one: from TypeScript source, on two busy cores, that took 0.1 s for a
   * thread and 0.2 s for a process.
   */
  readonly isolation: 'thread' | 'process';
}

/**
 * Information about the attempt, and calls that report to the node. Read members by name or by destructuring:
 * many members are computed when they are read, and a spread does not copy them.
 */
export interface HandlerContext {
  readonly attemptId: string;
  readonly runId: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly task: string;
  readonly tenant: string;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The same for every attempt of the task: pass it to services that must not act twice. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input, hex. */
  readonly inputHash: string;
  readonly inputBytes: Uint8Array | null;
  /** Results of the parent tasks, by name; empty if there are none. */
  readonly parents: Readonly<Record<string, ParentResult>>;
  /** Schedule window of the run; undefined if no schedule started the run. */
  readonly window: HandlerWindow | undefined;
  /** End of the timeout; null if there is none. `extend` moves it. */
  readonly deadline: Date | null;
  /** Fires when the attempt must stop; `signal.reason` says why. */
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
  /** Reports progress from 0 to 1. After the first report, an attempt is stopped after `progressTimeout` without progress. */
  progress(fraction: number): void;
  readonly log: HandlerLog;
  readonly checkpoint: Checkpoint;
  /**
   * Asks for more time, '5m' or milliseconds, up to a year at once. Returns false if the node refuses: no progress since the
   * last extension, or a deadline more than ten years ahead; also if no response arrives within 30 seconds.
   * Rejects with a `RangeError` outside of the range.
   */
  extend(time: Duration): Promise<boolean>;
}

/** The window of a schedule: the same for every attempt, and for a retried run. */
export interface HandlerWindow {
  readonly schedule: string;
  /** Planned time of the window, not the time at which the run started. */
  readonly at: Date;
  /** `catchUp`: the window was missed and runs late. `backfill`: a past window was requested. */
  readonly kind: 'scheduled' | 'catchUp' | 'backfill';
}

/** State and output of a parent task. */
export interface ParentResult {
  readonly state: string;
  /** Output, if it is JSON; for a fan-out see `results`. */
  readonly output?: unknown;
  readonly error?: string;
  /** Of a fan-out: number of children, their outputs, and the children that did not succeed. */
  readonly total?: number;
  readonly results?: readonly { readonly partition: number; readonly output?: unknown }[];
  readonly failures?: readonly {
    readonly task: string;
    readonly partition: number;
    readonly state: string;
    readonly error: string | null;
  }[];
}

export interface HandlerLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Saved state of a task. Optional: without it, every attempt starts from the beginning. */
export interface Checkpoint {
  /** Returns the state that an earlier attempt saved; null if there is none. */
  load<T = unknown>(): T | null;
  /** Saves a JSON value. The next attempt loads the last saved value. */
  save(value: unknown): Promise<void>;
  /** Calls `state` every 30 seconds and when the attempt is stopped, and saves the result. */
  offer(state: () => unknown): void;
}
