import type { About, LogStream, Ref, WireResult, WireWindow } from '@signalbox/protocol/link';

/** What is to be run. */
export interface Assign extends About {
  readonly ref: Ref;
  /** Id of the run. */
  readonly run: string;
  /** Of the attempt. */
  readonly id: string;
  /** The same for every attempt of the task. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input, hex; of nothing where there is no input. */
  readonly inputHash: string;
  /** How long it may run from the assignment on; null for as long as it likes. */
  readonly timeoutMs: number | null;
  readonly trace?: string | undefined;
  /** The payload, or the reference to the blob that it is in. */
  readonly input: Uint8Array | null;
  readonly checkpoint: Uint8Array | null;
  /** What became of the tasks that it waited for, as JSON or a reference to it. */
  readonly parents?: Uint8Array | undefined;
  /** The window that the run is for, where a schedule started it. */
  readonly window?: WireWindow | undefined;
}

/** Why an attempt is told to stop. A node may know more words than these. */
export type StopWhy =
  | 'cancelled'
  | 'timeout'
  | 'stuck'
  | 'drained'
  | 'upstream_failed'
  | 'evicted'
  | 'preempted'
  /** It is not this worker's any more; nobody waits for its result. */
  | 'stale'
  | (string & {});

/** What the worker reports: the result on the wire, and the output that goes with it. */
export type Result = WireResult & { readonly output: Uint8Array | null };

/** What an executor can read and report about an attempt. */
export interface AttemptContext {
  readonly assign: Assign;
  /** The bytes themselves, also where the frame had a reference to the blob store. */
  readonly input: Uint8Array | null;
  /** What an earlier attempt of the task saved; null from the start. */
  readonly checkpoint: Uint8Array | null;
  /** What became of the tasks that it waited for, as JSON; null where it waited for none. */
  readonly parents: Uint8Array | null;
  /** Fires when the attempt is to stop; `signal.reason` is a `StopWhy`. */
  readonly signal: AbortSignal;
  /** How long it may take to stop once the signal has fired. Read it then: the node may change it. */
  readonly graceMs: number;
  /** When its time is over, in ms since the epoch by this machine's clock; null for never. The node measures. */
  readonly deadline: number | null;
  log(stream: LogStream, text: string | Uint8Array): void;
  /** From 0 to 1, or any number that rises. */
  progress(value: number): void;
  /** Resolves when it is on its way; the last one said wins. */
  saveCheckpoint(state: Uint8Array): Promise<void>;
  /** Asks for more time; false where the node does not grant it. */
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
