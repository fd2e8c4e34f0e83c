import type { Notification } from './facts/graph-facts.ts';
import type { Attempt, AttemptRef, Run, StopReason, Task } from './model/run.ts';

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
  | {
      readonly kind: 'probe';
      readonly worker: string;
      /** Taken over from another node, and still part of the foreign use that the worker reports. */
      readonly adopted?: readonly AttemptRef[];
    }
  /** A partition came to this node: the worker is to attach anew and say what it holds. */
  | { readonly kind: 'restate'; readonly worker: string }
  | { readonly kind: 'drained'; readonly worker: string }
  /**
   * The task waits for a run of another job: it is to be submitted under its key, which finds the one
   * that is there already. Answered with `nestedBegun` or `nestedRefused`. `since` says which wait: by
   * the time that this is released the task may be in another, which is not durable yet.
   */
  | { readonly kind: 'startRun'; readonly task: Task; readonly since: number }
  /** Decisions about the run need its input, which is in the store; then `reevaluate`. */
  | { readonly kind: 'loadInput'; readonly run: Run }
  /** Somebody outside is to be told; answered with `notified`. */
  | {
      readonly kind: 'notify';
      readonly partition: number;
      readonly seq: number;
      readonly notification: Notification;
    }
  /** Something a person should know. */
  | {
      readonly kind: 'alert';
      readonly alert:
        | 'softTimeout'
        | 'quarantined'
        | 'workerLost'
        /** A worker beats but accepts nothing; it was cordoned. */
        | 'workerIdle'
        /** A run stopped by itself and waits for a person. */
        | 'runPaused'
        /** A run does not move, or takes far longer than it usually does. */
        | 'runStuck'
        /** What a task wanted to add to its run cannot be. */
        | 'additionRefused'
        /** A window started later than its grace. */
        | 'windowLate'
        /** A schedule that was not meant to end has no further window. */
        | 'scheduleWithoutNext'
        /** The windows of a schedule cannot be computed. */
        | 'scheduleFailed'
        /** The input of a window cannot be made of its template: the window was skipped. */
        | 'windowInputFailed';
      readonly about: AlertFields;
    };

/** What an alert is about: whatever of it applies, so that a receiver need not take a text apart. */
export interface AlertFields {
  readonly tenant?: string;
  readonly job?: string;
  readonly schedule?: string;
  readonly trigger?: string;
  readonly run?: string;
  readonly task?: string;
  readonly worker?: string;
  /** The due time of the window, in milliseconds. */
  readonly window?: number;
  /** From when on what the alert reports holds, in milliseconds. */
  readonly since?: number;
  /** Why, as text or as a code. */
  readonly reason?: string;
}

/** Effects that are told to a worker; the others are the node's own to carry out. */
export type ToWorker = Extract<Effect, { readonly worker: string }>;

export function isToWorker(effect: Effect): effect is ToWorker {
  switch (effect.kind) {
    case 'alert':
    case 'startRun':
    case 'loadInput':
    case 'notify':
      return false;
    default:
      return true;
  }
}
