import type { TargetOptions, WorkerView } from '@signalbox/protocol';
import type { Caller } from '../auth/caller.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Feed, StreamContext } from '../feed/feed.ts';
import type { Logger } from '../settings/log-events.ts';
import type { Triggers } from '../triggers/triggers.ts';

/**
 * The parts of a node that operations use. Rooms below this one define their own part; `Fleet` and `Audit` are
 * implemented by rooms above it (`gateway`, `operations/audit`) and passed in by `assemble.ts`.
 */
export interface NodeContext extends StreamContext {
  readonly name: string;
  readonly version: string;
  readonly feed: Feed;
  readonly fleet: Fleet;
  readonly blobs: BlobStore;
  readonly audit: Audit;
  /** `text` returns the metrics in the format of Prometheus. */
  readonly metrics: { text(): Promise<string> };
  readonly triggers: Triggers;
  readonly log: Logger;
  /** Allowed targets of `http` tasks; absent: public https addresses only. */
  readonly httpTargets?: TargetOptions;
  /** Whether every partition has an owner; absent: only this node owns partitions. */
  readonly isEveryPartitionOwned?: () => Promise<boolean>;
}

/** Attached workers, and the orders that people give them. */
export interface Fleet {
  workers(): WorkerView[];
  worker(name: string): WorkerView | null;
  /** Each order returns false if the worker is not attached. */
  drain(name: string): Promise<boolean>;
  cordon(name: string): Promise<boolean>;
  uncordon(name: string): Promise<boolean>;
  evict(name: string): Promise<boolean>;
}

export interface Audit {
  /** Records a change by a person or key; resolves when the entry is durable. */
  record(entry: {
    readonly caller: Caller;
    /** The tenant whose log receives the entry; default: the caller's. */
    readonly tenant?: string;
    readonly action: string;
    readonly target: string;
    readonly before?: string;
    readonly after?: string;
    readonly reason?: string;
  }): Promise<void>;
}
