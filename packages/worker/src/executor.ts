import type { About, LogStream, Ref, WireResult, WireWindow } from '@signalbox/protocol/link';

/** An attempt to run. */
export interface Assign extends About {
  readonly ref: Ref;
  /** Id of the run. */
  readonly run: string;
  /** Id of the attempt. */
  readonly id: string;
  /** The same for every attempt of the task. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input in hex; of zero bytes if there is no input. */
  readonly inputHash: string;
  /** Maximum duration from the assignment on; null for no limit. */
  readonly timeoutMs: number | null;
  readonly trace?: string | undefined;
  /** The payload, or a reference to its blob. */
  readonly input: Uint8Array | null;
  readonly checkpoint: Uint8Array | null;
  /** The results of its parents, as JSON or a reference to it. */
  readonly parents?: Uint8Array | undefined;
  /** The window of the schedule that started the run. */
  readonly window?: WireWindow | undefined;
}

/** Why an attempt is stopped. A newer node may send other reasons. */
export type StopWhy =
  | 'cancelled'
  | 'timeout'
  | 'stuck'
  | 'drained'
  | 'upstream_failed'
  | 'evicted'
  | 'preempted'
  /** The attempt was superseded; its result is not needed. */
  | 'stale'
  | (string & {});

/** The result of an attempt with its output. */
export type Result = WireResult & { readonly output: Uint8Array | null };

/** An attempt as its executor sees it. */
export interface AttemptContext {
  readonly assign: Assign;
  /** The bytes, also if the frame contained a reference to a blob. */
  readonly input: Uint8Array | null;
  /** The state that an earlier attempt saved; null to start from the beginning. */
  readonly checkpoint: Uint8Array | null;
  /** The results of its parents, as JSON; null if it has none. */
  readonly parents: Uint8Array | null;
  /** Fires when the attempt must stop; `signal.reason` is a `StopWhy`. */
  readonly signal: AbortSignal;
  /** The time to stop after the signal has fired. Read it then, because the node may change it. */
  readonly graceMs: number;
  /** The deadline in ms since the epoch by this machine's clock, or null. The node enforces it. */
  readonly deadline: number | null;
  log(stream: LogStream, text: string | Uint8Array): void;
  /** From 0 to 1, or any number that rises over time. */
  progress(value: number): void;
  /** Resolves when the state is sent; the last one wins. */
  saveCheckpoint(state: Uint8Array): Promise<void>;
  /** Requests more time; false if the node does not grant it. */
  extend(byMs: number): Promise<boolean>;
}

/**
 * Runs attempts of one kind: `command`, `http`, `handler:<name>`. After the signal fires, `run` must settle within
 * `graceMs` and must have ended everything that it started: after that time the worker reports `stopped`
 * whether or not `run` has settled. A thrown error counts as a failure.
 */
export interface Executor {
  readonly name: string;
  /** Further names under which the worker offers it. */
  readonly alsoOffers?: readonly string[];
  run(attempt: AttemptContext): Promise<Result>;
}
