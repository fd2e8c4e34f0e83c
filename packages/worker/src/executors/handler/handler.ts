import type { Duration } from '@signalbox/protocol/link';

/**
 * The function that does a task's work. `input` is the parsed value where the bytes are JSON, the
 * bytes themselves where they are not, undefined where there are none. What it returns is the
 * output: any JSON value, bytes, or nothing.
 */
export type Handler = (input: never, context: HandlerContext) => unknown;

/** A handler in a file of its own, run where it cannot hurt the worker. */
export interface HandlerModule {
  /** A path, or a file URL. */
  readonly module: string | URL;
  /** The name of the export; `default` where it is absent. */
  readonly export?: string;
  /**
   * `thread`: an endless loop, an exception or a full heap ends with the thread. `process`: also
   * a crash of native code and everything it leaves in memory or started, except for processes that it
   * has detached: nobody waits for those, or reads what they print. Each attempt gets a new
   * one: from TypeScript source, on two busy cores, that took 0.1 s for a thread and 0.2 s for a
   * process.
   */
  readonly isolation: 'thread' | 'process';
}

/**
 * What a handler knows of its attempt and may ask for. Read it by name, or take it apart by name: much
 * of it is made when it is read, which a spread does not do.
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
  /** The same for every attempt of the task: pass it on to whoever must not act twice. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input, hex. */
  readonly inputHash: string;
  readonly inputBytes: Uint8Array | null;
  /** What became of the tasks that it comes after, by name; empty where there are none. */
  readonly parents: Readonly<Record<string, ParentResult>>;
  /** The window that the run is for; undefined where no schedule started it. */
  readonly window: HandlerWindow | undefined;
  /** When its time is over; null for never. An extension moves it. */
  readonly deadline: Date | null;
  /** Fires when the attempt is to stop; `signal.reason` says why. */
  readonly signal: AbortSignal;
  readonly trace: string | undefined;
  /** From 0 to 1. A task whose progress stands still for long is taken for stuck. */
  progress(fraction: number): void;
  readonly log: HandlerLog;
  readonly checkpoint: Checkpoint;
  /**
   * Asks for more time, '5m' or milliseconds, up to a year at once. False where the node does not grant it: no progress since the
   * last extension, or a deadline more than ten years ahead; also where no answer comes within 30 seconds.
   * Rejects with a `RangeError` outside of the range.
   */
  extend(time: Duration): Promise<boolean>;
}

/** The window of a schedule: the same for every attempt, and for a run that is tried again. */
export interface HandlerWindow {
  readonly schedule: string;
  /** The instant that the schedule names, not when the run started. */
  readonly at: Date;
  /** `catchUp`: it was missed and runs late. `backfill`: somebody asked for a window of the past. */
  readonly kind: 'scheduled' | 'catchUp' | 'backfill';
}

/** How a parent of the task ended, and what it gave. */
export interface ParentResult {
  readonly state: string;
  /** Where it is JSON; of a fan-out see `results`. */
  readonly output?: unknown;
  readonly error?: string;
  /** Of a fan-out: how many children it had, what they gave, and which of them did not succeed. */
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

/** Opt-in: a task that never saves runs from its start each time (WRK-05). */
export interface Checkpoint {
  /** What an earlier attempt saved; null where there is nothing. */
  load<T = unknown>(): T | null;
  /** Any JSON value. The last one saved is what the next attempt loads. */
  save(value: unknown): Promise<void>;
  /** Asks for the state every 30 seconds, and once more when the attempt is told to stop. */
  offer(state: () => unknown): void;
}
