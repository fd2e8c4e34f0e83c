import type { Resources } from '../api/common.ts';

/** Frames of the link between worker and node. The prose is in docs/worker-protocol.md. */
export const PROTOCOL_VERSION = 1;
/** Larger payloads go by HTTP to the blob store, and a reference goes here. */
export const MESSAGE_BYTES_MAX = 1_048_576;

/** Names an attempt; all six must match the live one. A tuple, because it is in nearly every frame. */
export type Ref = readonly [
  partition: number,
  seq: number,
  task: number,
  number: number,
  epoch: number,
  token: number,
];

export type FromWorker =
  /** The first frame of a connection, and again on `restate`. */
  | {
      readonly kind: 'hello';
      readonly protocol: number;
      /** Where the key did not come in the Authorization header. */
      readonly key?: string;
      readonly worker: string;
      /** New with every start of the process. */
      readonly instance: string;
      readonly zone: string;
      readonly labels: Readonly<Record<string, string>>;
      /** `handler:<name>` for every handler, `command`, `http`. */
      readonly executors: readonly string[];
      readonly total: Resources;
      readonly foreignUse: Resources;
      /** Every attempt that it runs, or has an unconfirmed result of. */
      readonly holds: readonly Ref[];
      /** It reads frames in columns. */
      readonly packs?: boolean;
    }
  | {
      readonly kind: 'beat';
      readonly foreignUse: Resources;
      readonly progress: readonly { readonly ref: Ref; readonly value: number }[];
    }
  | { readonly kind: 'accept'; readonly refs: readonly Ref[] }
  | { readonly kind: 'refuse'; readonly ref: Ref; readonly foreignUse: Resources | null }
  | {
      readonly kind: 'finish';
      readonly ref: Ref;
      readonly result: WireResult;
      /** Payload. */
      readonly output: Uint8Array | null;
    }
  | { readonly kind: 'checkpoint'; readonly ref: Ref; readonly state: Uint8Array }
  | { readonly kind: 'extend'; readonly ref: Ref; readonly byMs: number }
  | {
      readonly kind: 'log';
      readonly ref: Ref;
      readonly stream: LogStream;
      /** Rises by one with every frame of the attempt: a gap or a repeat is seen. */
      readonly number: number;
      readonly text: Uint8Array;
    }
  /** Asks for no more work: it is about to stop. Answered with `drained` once it holds nothing. */
  | { readonly kind: 'drain' }
  /** It leaves in good order and holds nothing. */
  | { readonly kind: 'bye' };

/**
 * Not on the wire: a frame about one attempt with a field that cannot be read. The attempt fails with
 * the name of the field; the link and everything else on it go on.
 */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly ref: Ref;
  /** As `finish.result.retryAfterMs`. */
  readonly field: string;
}

export type LogStream = 'stdout' | 'stderr' | 'log';

export type WireResult =
  | { readonly kind: 'succeeded'; readonly exitCode?: number; readonly durationMs?: number }
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly class?: 'transient' | 'permanent' | 'resource';
      readonly exitCode?: number;
      readonly retryAfterMs?: number;
      readonly durationMs?: number;
    }
  | { readonly kind: 'stopped' };

export type FromNode =
  | {
      readonly kind: 'welcome';
      readonly protocol: number;
      readonly node: string;
      readonly heartbeatMs: number;
      /** It reads frames in columns. */
      readonly packs?: boolean;
    }
  | {
      readonly kind: 'assign';
      readonly ref: Ref;
      readonly about: About;
      /** Id of the run. */
      readonly run: string;
      /** How long it may run from now on; null for as long as it likes. */
      readonly timeoutMs: number | null;
      readonly trace?: string;
      readonly input: Uint8Array | null;
      readonly checkpoint: Uint8Array | null;
      /** Of a child of a fan-out: its own name, in place of the one that it has in common with others. */
      readonly task?: string;
      /** What became of the tasks that it waited for, as JSON; absent where it waited for none. */
      readonly parents?: Uint8Array;
      /** Of a run that a schedule started. */
      readonly window?: WireWindow;
    }
  | { readonly kind: 'abort'; readonly ref: Ref; readonly graceMs: number; readonly why: string }
  /** These results are durable: they may be forgotten. */
  | { readonly kind: 'confirm'; readonly refs: readonly Ref[] }
  /** The attempt is not this worker's any more: stop, and forget any result. */
  | { readonly kind: 'stale'; readonly ref: Ref }
  | {
      readonly kind: 'extended';
      readonly ref: Ref;
      readonly granted: boolean;
      /** From now on; null for as long as it likes. */
      readonly timeoutMs: number | null;
    }
  /** `adopted`: attempts of the worker that this node has taken over, and counts itself from now on. */
  | { readonly kind: 'probe'; readonly adopted?: readonly Ref[] }
  /** Say `hello` again with what is held: the node has just come to own more. */
  | { readonly kind: 'restate' }
  /** Somebody drains this worker: it gets nothing new. */
  | { readonly kind: 'drain' }
  | { readonly kind: 'drained' };

/** The window of a schedule that a run is for. */
export interface WireWindow {
  readonly schedule: string;
  /** Its instant, in ms since the epoch. */
  readonly at: number;
  readonly kind: 'scheduled' | 'catchUp' | 'backfill';
}

/** What every attempt of a task has in common: a message says it once, however many it assigns. */
export interface About {
  readonly tenant: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly task: string;
  readonly executor: string;
  /** What the executor needs from the definition: `command`, `http`, or nothing. */
  readonly work: Readonly<Record<string, unknown>> | null;
  readonly request: Resources;
  readonly class: 'P0' | 'P1' | 'P2';
  readonly graceMs: number;
}

/** `work.command` of an assignment. */
export interface WireCommandWork {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly memoryMb?: number;
  readonly stdin?: 'input' | 'none';
  readonly isolated?: boolean;
}

/** `work.http` of an assignment. */
export interface WireHttpWork {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
  readonly redirectsMax?: number;
}

/** The reason with `CLOSE.invalid` where another live worker has the name. */
export const NAME_TAKEN = 'another worker with this name is connected';

/** How the node closes a connection. */
export const CLOSE = {
  /** A frame that is not one. */
  protocol: 1008,
  tooLarge: 1009,
  goingAway: 1001,
  invalid: 4400,
  unauthenticated: 4401,
  forbidden: 4403,
  /** Another connection of the same instance has taken its place. */
  replaced: 4409,
  tooFast: 4429,
} as const;
