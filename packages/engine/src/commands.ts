import type { SubmittedRun } from './facts/facts.ts';
import type { TakenOver } from './facts/graph-facts.ts';
import type { FailureClass } from './facts/reasons.ts';
import type { Book } from './model/book.ts';
import type { Class } from './model/classes.ts';
import type { Growth } from './model/graph.ts';
import type { LaneCursor } from './model/lane.ts';
import type { Resources } from './model/resources.ts';
import type { AttemptRef, RunHead } from './model/run.ts';
import type { RunId } from './model/run-id.ts';
import type { JobHead, ScheduleSpec } from './model/schedule.ts';
import type { JobSpec } from './model/spec.ts';
import type { RunState } from './model/states.ts';
import type { WorkerInfo } from './model/worker.ts';

/** Everything the engine can be told. A recorded list of commands with their times replays a day. */
export type Command =
  | {
      readonly kind: 'submit';
      readonly partition: number;
      readonly spec: JobSpec;
      readonly head: RunHead;
      /** Absent: the job's own. */
      readonly class?: Class;
      readonly input: Uint8Array | null;
      /** Its client was told that it is a new run: a version that excludes overlap came later. */
      readonly isNew?: true;
      /** Work of an ended run that it goes on with: how that one grew, and how its tasks ended. */
      readonly takeOver?: {
        readonly growth: readonly Growth[];
        readonly tasks: readonly TakenOver[];
      };
    }
  | {
      readonly kind: 'pauseRun';
      readonly partition: number;
      readonly seq: number;
      readonly by: string;
      readonly reason: string;
    }
  | {
      readonly kind: 'resumeRun';
      readonly partition: number;
      readonly seq: number;
      readonly by: string;
      /** The limit of a fan-out from now on; 0 for as before. */
      readonly fanOutMax: number;
    }
  /** Looks again at everything of the run that waits for nothing; in case something was missed. */
  | { readonly kind: 'reevaluate'; readonly partition: number; readonly seq: number }
  | {
      readonly kind: 'approve';
      readonly partition: number;
      readonly seq: number;
      readonly task: number;
      readonly decision: 'approve' | 'reject';
      readonly by: string;
      readonly comment: string;
    }
  | {
      /** Something happened outside; tasks of the partition may wait for it. */
      readonly kind: 'event';
      readonly partition: number;
      readonly tenant: string;
      readonly type: string;
      /** What names it, wherever and however often it is delivered. */
      readonly key: string;
      /** The whole event, as JSON. */
      readonly event: Uint8Array;
    }
  | {
      /** Somebody ends the wait of this one task for an event, whatever its filter says. */
      readonly kind: 'signal';
      readonly partition: number;
      readonly seq: number;
      readonly task: number;
      /** What the task gives on, as JSON. */
      readonly event: Uint8Array;
    }
  | {
      /** The run that a task waits for was accepted. */
      readonly kind: 'nestedBegun';
      readonly partition: number;
      readonly seq: number;
      readonly task: number;
      /** Which wait of the task: when it began. */
      readonly since: number;
      readonly run: string;
      /** What it was submitted in, or the least urgent where that is not known. */
      readonly class: Class;
    }
  | {
      /** The run that a task waits for can never be started. */
      readonly kind: 'nestedRefused';
      readonly partition: number;
      readonly seq: number;
      readonly task: number;
      readonly since: number;
      readonly error: string;
    }
  | {
      /** How the run ended that a task waits for. */
      readonly kind: 'nestedEnded';
      readonly partition: number;
      readonly seq: number;
      readonly task: number;
      readonly since: number;
      readonly run: string;
      readonly state: RunState;
      readonly isGateClosed: boolean;
      readonly error: string;
      readonly output: Uint8Array | null;
    }
  | {
      readonly kind: 'notified';
      readonly partition: number;
      readonly id: string;
      readonly delivered: boolean;
    }
  | {
      readonly kind: 'cancel';
      readonly partition: number;
      readonly seq: number;
      readonly by: string;
      readonly reason: string;
    }
  | {
      /** Nobody waits any more for the nested run under the key. */
      readonly kind: 'cancelNested';
      readonly partition: number;
      readonly tenant: string;
      readonly key: string;
      /** The run that has the key, as the store knows. */
      readonly holder: RunId | null;
      /** The run that waited. */
      readonly of: RunId;
    }
  | {
      /** Whoever waits for the nested run under the key has become more urgent. */
      readonly kind: 'raiseNested';
      readonly partition: number;
      readonly tenant: string;
      readonly key: string;
      readonly holder: RunId | null;
      readonly of: RunId;
      readonly class: Class;
    }
  | {
      readonly kind: 'changeClass';
      readonly partition: number;
      readonly seq: number;
      readonly class: Class;
      readonly by: string;
      readonly reason: string;
    }
  | { readonly kind: 'tick' }
  /** The node itself stood still or was cut off: silence in that time is not the workers' (no mass reaping). */
  | { readonly kind: 'freshen' }
  | {
      readonly kind: 'attachWorker';
      readonly info: WorkerInfo;
      readonly foreignUse: Resources;
      /** Every attempt that it still runs, or has a result of that was not confirmed. */
      readonly holds: readonly AttemptRef[];
    }
  | { readonly kind: 'detachWorker'; readonly worker: string }
  | {
      readonly kind: 'beat';
      readonly worker: string;
      readonly foreignUse: Resources;
      readonly progress: readonly { readonly ref: AttemptRef; readonly value: number }[];
    }
  | { readonly kind: 'accept'; readonly worker: string; readonly ref: AttemptRef }
  | {
      readonly kind: 'refuse';
      readonly worker: string;
      readonly ref: AttemptRef;
      /** What the worker holds for others; null where it is full for a reason of its own. */
      readonly foreignUse: Resources | null;
    }
  | {
      readonly kind: 'finish';
      readonly worker: string;
      readonly ref: AttemptRef;
      readonly result: AttemptResult;
    }
  | {
      readonly kind: 'checkpoint';
      readonly worker: string;
      readonly ref: AttemptRef;
      readonly state: Uint8Array;
    }
  | {
      readonly kind: 'extend';
      readonly worker: string;
      readonly ref: AttemptRef;
      readonly byMs: number;
    }
  | { readonly kind: 'drainWorker' | 'cordonWorker' | 'uncordonWorker'; readonly worker: string }
  | { readonly kind: 'evictWorker'; readonly worker: string }
  | {
      readonly kind: 'setTenant';
      readonly tenant: string;
      readonly weight: number;
      readonly runningMax: number;
    }
  | {
      /** A page that `pagesWanted` asked for. */
      readonly kind: 'pageIn';
      readonly partition: number;
      readonly lane: string;
      /** Where the reading began. If the lane has moved since, the page is void. */
      readonly after: LaneCursor | null;
      readonly runs: readonly SubmittedRun[];
      /** Where it ended; null where there was nothing. */
      readonly cursor: LaneCursor | null;
      readonly exhausted: boolean;
    }
  | {
      /** A parked run that somebody asks for by its id. */
      readonly kind: 'fetchIn';
      readonly partition: number;
      readonly lane: string;
      readonly run: SubmittedRun;
    }
  | {
      /** A version of a schedule was saved. Said again, or after a newer one, it changes nothing. */
      readonly kind: 'setSchedule';
      readonly partition: number;
      readonly tenant: string;
      readonly schedule: string;
      readonly version: number;
      /** Null where the version is a deletion. */
      readonly spec: ScheduleSpec | null;
      readonly savedAt: number;
    }
  | {
      /** What a job of schedules is now; asked for by `jobsWanted`, and told when it changes. */
      readonly kind: 'setJob';
      readonly partition: number;
      readonly tenant: string;
      readonly job: string;
      readonly head: JobHead;
    }
  /** The tenants whose ends of runs are told with the facts, because runs of theirs follow from them. */
  | { readonly kind: 'follow'; readonly tenants: ReadonlySet<string> }
  | { readonly kind: 'takePartition'; readonly book: Book }
  | { readonly kind: 'leavePartition'; readonly partition: number }
  | {
      /** The store would not have the submission: its key belongs to another run. */
      readonly kind: 'withdraw';
      readonly partition: number;
      readonly submitted: SubmittedRun;
      /** Where it was parked, if it was. */
      readonly lane: string | null;
    }
  | {
      /** Keys that the store refused to submissions which equal a live run: it is not the live run's. */
      readonly kind: 'forgetKeys';
      readonly keys: readonly { readonly tenant: string; readonly key: string }[];
    }
  | {
      /** Back-pressure: the first class that gets no new assignments; 3 for none, 0 for all. */
      readonly kind: 'pauseFrom';
      readonly class: 0 | 1 | 2 | 3;
    };

/** How an attempt went, as its worker tells it. */
export type AttemptResult =
  | { readonly kind: 'succeeded'; readonly output: Uint8Array | null }
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** The worker knows best; without it the error is classified. */
      readonly class?: FailureClass;
      readonly exitCode?: number;
      /** Not before; as an answered `Retry-After`. */
      readonly retryAfterMs?: number;
    }
  /** It stopped because it was told to (cancel, drain, timeout), or never began. */
  | { readonly kind: 'stopped' };

/** What the caller of a command is told once everything it decided is durable. */
export type Answer =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'accepted';
      readonly partition: number;
      readonly seq: number;
      readonly ms: number;
    }
  /** The same idempotency key, or a live run with the same unique value. */
  | {
      readonly kind: 'duplicate';
      readonly partition: number;
      readonly seq: number;
      readonly ms: number;
    }
  | {
      readonly kind: 'refused';
      /** `unknown`: it may have happened; ask again with the same idempotency key. */
      readonly code:
        | 'not_owner'
        | 'not_found'
        | 'invalid'
        | 'overloaded'
        | 'unavailable'
        | 'unknown'
        /** The stored row of the idempotency key cannot be read. */
        | 'damaged'
        /** An inbox entry reserves the idempotency key: `entry` is its id. */
        | 'key_reserved';
      readonly message: string;
      readonly entry?: string;
    };

export const DONE: Answer = { kind: 'done' };
