import type { Attempt, Effect } from '@signalbox/engine';

/** Who draws the life of an attempt into a trace; see `tracing/`. */
export interface AttemptSpans {
  /** The `traceparent` for the worker; undefined for an attempt that belongs to no trace. */
  traceOf(attempt: Attempt): string | undefined;
  dispatched(effect: Effect & { kind: 'assign' }, now: number): void;
  /** Its result is durable. */
  ended(attempt: Attempt, now: number): void;
}
