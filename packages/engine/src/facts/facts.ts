import type { Class } from '../model/classes.ts';
import type { LaneCursor } from '../model/lane.ts';
import type { RunHead } from '../model/run.ts';
import type { JobSpec } from '../model/spec.ts';
import type { RunState } from '../model/states.ts';
import type { GraphFact } from './graph-facts.ts';
import type { Reason } from './reasons.ts';
import type { ScheduleFact } from './schedule-facts.ts';

/**
 * Everything that can happen to a run, and to a schedule. A fact is past: it is appended, folded, and never changed.
 * There is one constructor for each kind and no other way to change a run, so this list is the
 * specification of what Signalbox does. Readiness and queue position are derived and have no facts.
 */
export type Fact = RunFact | ScheduleFact;

export type RunFact =
  | RunSubmitted
  | RunsPagedIn
  | RunCancelRequested
  | RunClassChanged
  | TaskAssigned
  | TaskStarted
  | TaskCheckpointed
  | TaskExtended
  | TaskOutcome
  | GraphFact
  | RunEnded;

/** How an attempt, or a task without one, came to its next resting place. */
export type TaskOutcome =
  | TaskSucceeded
  | TaskRetryAt
  | TaskRequeued
  | TaskFailed
  | TaskTimedOut
  | TaskQuarantined
  | TaskCancelled
  | TaskSkipped;

/** A run as it was submitted: what its row holds and what its tasks are derived from. */
export interface SubmittedRun {
  readonly seq: number;
  readonly ms: number;
  readonly spec: JobSpec;
  readonly head: RunHead;
  readonly class: Class;
  readonly input: Uint8Array | null;
  readonly inputBytes: number;
}

export interface RunSubmitted {
  readonly kind: 'runSubmitted';
  readonly partition: number;
  readonly run: SubmittedRun;
  /** Set where memory already holds enough of its queue, or its due time is far: the run waits in the store. */
  readonly parked: { readonly lane: string; readonly sort: number } | null;
}

export interface RunsPagedIn {
  readonly kind: 'runsPagedIn';
  readonly partition: number;
  readonly lane: string;
  readonly cursor: LaneCursor | null;
  /** Runs still parked behind the cursor. */
  readonly parkedLeft: number;
  readonly runs: readonly SubmittedRun[];
}

interface OfTask {
  readonly partition: number;
  readonly seq: number;
  readonly task: number;
  readonly at: number;
}

interface OfAttempt extends OfTask {
  /** Number of the attempt; 0 where the task has none. */
  readonly attempt: number;
}

export interface RunCancelRequested {
  readonly kind: 'runCancelRequested';
  readonly partition: number;
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly reason: string;
}

export interface RunClassChanged {
  readonly kind: 'runClassChanged';
  readonly partition: number;
  readonly seq: number;
  readonly at: number;
  readonly class: Class;
  readonly by: string;
  readonly reason: string;
}

export interface TaskAssigned extends OfAttempt {
  readonly kind: 'taskAssigned';
  readonly worker: string;
  readonly token: number;
  /** What placement thought of the worker, in thousandths: why this one and not another. */
  readonly score: number;
}

export interface TaskStarted extends OfAttempt {
  readonly kind: 'taskStarted';
}

export interface TaskCheckpointed extends OfAttempt {
  readonly kind: 'taskCheckpointed';
  readonly state: Uint8Array;
}

export interface TaskExtended extends OfAttempt {
  readonly kind: 'taskExtended';
  readonly hardAt: number;
}

export interface TaskSucceeded extends OfAttempt {
  readonly kind: 'taskSucceeded';
  readonly output: Uint8Array | null;
}

export interface TaskRetryAt extends OfAttempt {
  readonly kind: 'taskRetryAt';
  readonly reason: Reason;
  readonly error: string;
  readonly dueAt: number;
  /** What the next attempt asks for; 0 for as before. */
  readonly memoryMb: number;
}

export interface TaskRequeued extends OfAttempt {
  readonly kind: 'taskRequeued';
  readonly reason: Reason;
}

export interface TaskFailed extends OfAttempt {
  readonly kind: 'taskFailed';
  readonly reason: Reason;
  readonly error: string;
}

export interface TaskTimedOut extends OfAttempt {
  readonly kind: 'taskTimedOut';
  readonly reason: Reason;
  readonly error: string;
}

export interface TaskQuarantined extends OfAttempt {
  readonly kind: 'taskQuarantined';
  readonly reason: Reason;
  readonly error: string;
}

export interface TaskCancelled extends OfAttempt {
  readonly kind: 'taskCancelled';
  readonly reason: Reason;
}

export interface TaskSkipped extends OfAttempt {
  readonly kind: 'taskSkipped';
  readonly reason: Reason;
}

export interface RunEnded {
  readonly kind: 'runEnded';
  readonly partition: number;
  readonly seq: number;
  readonly ms: number;
  readonly at: number;
  readonly tenant: string;
  readonly state: RunState;
  /** The task outcome that ended it, folded first: a short run ends in one fact. */
  readonly last: TaskOutcome;
  /** The run's whole history in brief, for its row; see `facts/detail.ts`. */
  readonly detail: string;
  readonly output: Uint8Array | null;
}

type Made<F extends { kind: string }> = Omit<F, 'kind'>;

export const runSubmitted = (f: Made<RunSubmitted>): RunSubmitted => ({
  kind: 'runSubmitted',
  partition: f.partition,
  run: f.run,
  parked: f.parked,
});
export const runsPagedIn = (f: Made<RunsPagedIn>): RunsPagedIn => ({ kind: 'runsPagedIn', ...f });
export const runCancelRequested = (f: Made<RunCancelRequested>): RunCancelRequested => ({
  kind: 'runCancelRequested',
  ...f,
});
export const runClassChanged = (f: Made<RunClassChanged>): RunClassChanged => ({
  kind: 'runClassChanged',
  ...f,
});
/** Written out field by field, like `taskSucceeded`: a spread is slower, and these are in every task's life. */
export const taskAssigned = (f: Made<TaskAssigned>): TaskAssigned => ({
  kind: 'taskAssigned',
  partition: f.partition,
  seq: f.seq,
  task: f.task,
  at: f.at,
  attempt: f.attempt,
  worker: f.worker,
  token: f.token,
  score: f.score,
});
export const taskStarted = (f: Made<TaskStarted>): TaskStarted => ({ kind: 'taskStarted', ...f });
export const taskCheckpointed = (f: Made<TaskCheckpointed>): TaskCheckpointed => ({
  kind: 'taskCheckpointed',
  ...f,
});
export const taskExtended = (f: Made<TaskExtended>): TaskExtended => ({
  kind: 'taskExtended',
  ...f,
});
export const taskSucceeded = (f: Made<TaskSucceeded>): TaskSucceeded => ({
  kind: 'taskSucceeded',
  partition: f.partition,
  seq: f.seq,
  task: f.task,
  at: f.at,
  attempt: f.attempt,
  output: f.output,
});
export const taskRetryAt = (f: Made<TaskRetryAt>): TaskRetryAt => ({ kind: 'taskRetryAt', ...f });
export const taskRequeued = (f: Made<TaskRequeued>): TaskRequeued => ({
  kind: 'taskRequeued',
  ...f,
});
export const taskFailed = (f: Made<TaskFailed>): TaskFailed => ({ kind: 'taskFailed', ...f });
export const taskTimedOut = (f: Made<TaskTimedOut>): TaskTimedOut => ({
  kind: 'taskTimedOut',
  ...f,
});
export const taskQuarantined = (f: Made<TaskQuarantined>): TaskQuarantined => ({
  kind: 'taskQuarantined',
  ...f,
});
export const taskCancelled = (f: Made<TaskCancelled>): TaskCancelled => ({
  kind: 'taskCancelled',
  ...f,
});
export const taskSkipped = (f: Made<TaskSkipped>): TaskSkipped => ({ kind: 'taskSkipped', ...f });
export const runEnded = (f: Made<RunEnded>): RunEnded => ({
  kind: 'runEnded',
  partition: f.partition,
  seq: f.seq,
  ms: f.ms,
  at: f.at,
  tenant: f.tenant,
  state: f.state,
  last: f.last,
  detail: f.detail,
  output: f.output,
});
