import type { RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { CommitLoop } from '../loop/index.ts';
import type { StreamTimers } from './timers.ts';

/** A durable fact in the form that watchers receive. */
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
  /** State of the run or task after the fact. */
  readonly state?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Feed {
  /** Calls the listener for every event of the tenant, or of one run; returns a function that stops it. */
  watch(
    filter: { readonly tenant: string; readonly run?: RunId },
    listener: (event: FeedEvent) => void,
  ): () => void;
  /** Resolves when the run has ended or the time has passed. */
  ended(params: { tenant: string; run: RunId; timeoutMs: number }): Promise<void>;
}

/** The parts of a node that event streams read. */
export interface StreamContext {
  readonly partitions: number;
  readonly store: Store;
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  /**
   * Retention of facts for watchers that resume, and the minimum retention of the runs that those facts name;
   * absent: unlimited.
   */
  readonly factsMs?: number;
  /** Timers of event streams; absent: those of this process. */
  readonly timers?: StreamTimers;
}
