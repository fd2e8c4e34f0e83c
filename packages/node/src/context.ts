import type { RunId } from '@signalbox/engine';
import type {
  BlobRef,
  ErrorCode,
  LogStream,
  Role,
  TargetOptions,
  WorkerView,
} from '@signalbox/protocol';
import type { LogLineRow, Store } from '@signalbox/store';
import type { StreamTimers } from './feed/timers.ts';
import type { CommitLoop } from './loop/index.ts';
import type { Logger } from './settings/log-events.ts';
import type { Triggers } from './triggers/triggers.ts';

/** What the rooms of a node share. Each part has a folder of its own; this page is the map. */
export interface NodeContext {
  readonly name: string;
  readonly version: string;
  readonly partitions: number;
  readonly store: Store;
  readonly loop: CommitLoop;
  readonly feed: Feed;
  readonly fleet: Fleet;
  readonly blobs: BlobStore;
  readonly logs: TaskLogs;
  readonly audit: Audit;
  readonly metrics: Metrics;
  readonly triggers: Triggers;
  readonly log: Logger;
  /** What definitions of `http` tasks may call; absent: public https addresses only. */
  readonly httpTargets?: TargetOptions;
  /**
   * How long facts are kept for watchers that resume, and after its end at least a run that they speak of;
   * absent: for good.
   */
  readonly factsMs?: number;
  /** Whether every partition has an owner; absent: only this node owns partitions. */
  readonly isEveryPartitionOwned?: () => Promise<boolean>;
  /** What event streams wait with; absent: the timers of this process. */
  readonly timers?: StreamTimers;
}

/** Who is asking, as the key told. */
export interface Caller {
  /** The key's id; `root` for the key from the settings. */
  readonly key: string;
  /** The tenant that the request acts on. */
  readonly tenant: string;
  readonly role: Role;
  /** True for keys of the platform, which may act on every tenant. */
  readonly platform: boolean;
  readonly ip: string;
  readonly requestId: string;
}

/** An error that the caller is told; everything else is `internal` and only logged. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { field?: string; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.field = more.field;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** Something that became durable, as watchers see it. */
export interface FeedEvent {
  readonly tenant: string;
  readonly partition: number;
  readonly run: RunId;
  readonly job: string;
  /** The kind of the fact: `runSubmitted`, `taskStarted`, `runEnded`, … */
  readonly kind: string;
  readonly at: number;
  readonly task?: string;
  readonly attempt?: number;
  /** State of the run or task after it. */
  readonly state?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Feed {
  /** Calls back for every event of the tenant, or of one run of it; answers how to stop. */
  watch(
    filter: { readonly tenant: string; readonly run?: RunId },
    listener: (event: FeedEvent) => void,
  ): () => void;
  /** Resolves when the run has ended or the time is over, whichever comes first. */
  ended(params: { tenant: string; run: RunId; timeoutMs: number }): Promise<void>;
}

/** The workers as people see and order them; the gateway knows who has left by itself. */
export interface Fleet {
  workers(): WorkerView[];
  worker(name: string): WorkerView | null;
  /** False where there is no such worker; so do those below. */
  drain(name: string): Promise<boolean>;
  cordon(name: string): Promise<boolean>;
  uncordon(name: string): Promise<boolean>;
  evict(name: string): Promise<boolean>;
}

/** Payloads too large for the journal. A directory, or S3. */
export interface BlobStore {
  /** The name carries the day: later references are to be renewed (`renewPayload`). */
  put(tenant: string, bytes: Uint8Array): Promise<BlobRef>;
  /** Null for absent and for another tenant's alike. */
  get(tenant: string, name: string): Promise<Uint8Array | null>;
  /** Removes every blob that was put before the time, of all tenants; returns how many. */
  collect(beforeMs: number): Promise<number>;
}

/** What tasks print. Written behind: losing a line with a node is allowed, blocking a task is not. */
export interface TaskLogs {
  append(line: {
    readonly tenant: string;
    readonly run: RunId;
    readonly task: number;
    readonly attempt: number;
    readonly number: number;
    readonly stream: LogStream;
    readonly text: string;
  }): void;
  /** Calls back for every line as it comes, before it is stored; answers how to stop. */
  onLine?(listener: (line: LogLineRow) => void): () => void;
  flush(): Promise<void>;
}

export interface Audit {
  /** Every change by a person or key; resolves when it is durable. */
  record(entry: {
    readonly caller: Caller;
    /** Whose log it is in; the caller's unless told. */
    readonly tenant?: string;
    readonly action: string;
    readonly target: string;
    readonly before?: string;
    readonly after?: string;
    readonly reason?: string;
  }): Promise<void>;
}

export interface Metrics {
  /** Prometheus text. */
  text(): Promise<string>;
}
