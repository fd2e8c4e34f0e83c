import type { RunId } from '@signalbox/engine';

/** One message of an event stream, or the moment of resuming behind `id`. */
export interface StreamMessage {
  readonly id: string | null;
  readonly kind: 'event' | 'state' | 'log' | 'reset' | 'end' | 'idle' | 'resumed';
  /** The run that an event is of. */
  readonly run: string | null;
  /** The state that it shows is the last one. */
  readonly isOver?: true;
}

/** What one watcher was sent over all its connections, each resumed behind the last id of the one before. */
export interface StreamLog {
  readonly watcher: string;
  readonly tenant: string;
  /** Null: all runs of the tenant. */
  readonly run: RunId | null;
  readonly messages: StreamMessage[];
  /** Its connection at the end of the world; null if there is none. */
  readonly open: OpenStream | null;
}

/** A connection that nothing disturbs any more: every event that its node owes it must have arrived. */
export interface OpenStream {
  /** The scheduler process that serves it. */
  readonly node: string;
  /** When the client asked for it, and the end of the world, on the reference clock. */
  readonly sinceMs: number;
  readonly untilMs: number;
}
