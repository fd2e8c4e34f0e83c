import type { Resources } from '../api/common.ts';

/** Frames of the link between worker and node. The prose is in docs/worker-protocol.md. */
export const PROTOCOL_VERSION = 1;
/** Larger payloads are sent to the blob store over HTTP, and a reference is sent here. */
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
      /** If the key is not in the Authorization header. */
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
      /** All attempts that are running or whose result is not confirmed. */
      readonly holds: readonly Ref[];
      /** It accepts columnar frames. */
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
      /** Rises by one with every frame of the attempt, so that gaps and repetitions are detected. */
      readonly number: number;
      readonly text: Uint8Array;
    }
  /** Requests no more work. The node responds with `drained` once the worker holds nothing. */
  | { readonly kind: 'drain' }
  /** The last frame before an orderly disconnect; the worker holds nothing. */
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
      /** It accepts columnar frames. */
      readonly packs?: boolean;
    }
  | {
      readonly kind: 'assign';
      readonly ref: Ref;
      readonly about: About;
      /** Id of the run. */
      readonly run: string;
      /** Maximum duration from now on; null for no limit. */
      readonly timeoutMs: number | null;
      readonly trace?: string;
      readonly input: Uint8Array | null;
      readonly checkpoint: Uint8Array | null;
      /** The own name of a child of a fan-out; overrides that of `about`. */
      readonly task?: string;
      /** The results of its parents, as JSON; absent if it has none. */
      readonly parents?: Uint8Array;
      /** Of a run that a schedule started. */
      readonly window?: WireWindow;
    }
  | { readonly kind: 'abort'; readonly ref: Ref; readonly graceMs: number; readonly why: string }
  /** These results are durable; the worker can forget them. */
  | { readonly kind: 'confirm'; readonly refs: readonly Ref[] }
  /** The attempt was superseded: stop it, and forget its result. */
  | { readonly kind: 'stale'; readonly ref: Ref }
  | {
      readonly kind: 'extended';
      readonly ref: Ref;
      readonly granted: boolean;
      /** From now on; null for no limit. */
      readonly timeoutMs: number | null;
    }
  /** `adopted`: attempts that this node has taken over and counts itself from now on. */
  | { readonly kind: 'probe'; readonly adopted?: readonly Ref[] }
  /** Send `hello` again with all held attempts: the node has taken over a partition. */
  | { readonly kind: 'restate' }
  /** An operator drains this worker: it gets no new attempts. */
  | { readonly kind: 'drain' }
  | { readonly kind: 'drained' };

/** The window of a schedule that a run is for. */
export interface WireWindow {
  readonly schedule: string;
  /** Its instant, in ms since the epoch. */
  readonly at: number;
  readonly kind: 'scheduled' | 'catchUp' | 'backfill';
}

/** The common fields of all attempts of a task; a message contains them once for all its assignments. */
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

/** The reason with `CLOSE.invalid` if another live worker has the name. */
export const NAME_TAKEN = 'another worker with this name is connected';

/** Close codes of the node. */
export const CLOSE = {
  /** An invalid message. */
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
