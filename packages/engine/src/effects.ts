import type { Attempt, AttemptRef, StopReason } from './model/run.ts';

/**
 * What is to be done outside. Never before the facts that were decided with it are durable: a
 * worker that got an attempt which a crash then forgot would run it unknown to everybody.
 */
export type Effect =
  | { readonly kind: 'assign'; readonly worker: string; readonly attempt: Attempt }
  | {
      readonly kind: 'abort';
      readonly worker: string;
      readonly ref: AttemptRef;
      readonly graceMs: number;
      readonly why: StopReason | 'evicted' | 'preempted';
    }
  /** The result is recorded; the worker may forget it. */
  | { readonly kind: 'confirm'; readonly worker: string; readonly ref: AttemptRef }
  /** The attempt is not the worker's any more: stop, and forget any result (LIV-09). */
  | { readonly kind: 'stale'; readonly worker: string; readonly ref: AttemptRef }
  | {
      readonly kind: 'extended';
      readonly worker: string;
      readonly ref: AttemptRef;
      readonly granted: boolean;
      readonly hardAt: number;
    }
  | { readonly kind: 'probe'; readonly worker: string }
  /** A partition came to this node: the worker is to attach anew and say what it holds. */
  | { readonly kind: 'restate'; readonly worker: string }
  | { readonly kind: 'drained'; readonly worker: string }
  /** Something a person should know. */
  | {
      readonly kind: 'alert';
      readonly alert:
        | 'softTimeout'
        | 'quarantined'
        | 'workerLost'
        /** A window started later than its grace. */
        | 'windowLate'
        /** A schedule that was not meant to end has no further window. */
        | 'scheduleWithoutNext'
        /** The windows of a schedule cannot be computed. */
        | 'scheduleFailed';
      readonly subject: string;
    };
