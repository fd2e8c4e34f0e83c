import type { Class } from './classes.ts';
import type { RunGraph, TaskPart } from './graph.ts';
import type { TaskLane } from './queues.ts';
import type { Shape } from './shape.ts';
import type { JobSpec, TaskSpec } from './spec.ts';
import type { RunState, TaskState } from './states.ts';
import type { Timed } from './timer-wheel.ts';
import type { Worker } from './worker.ts';

/** What else was said at submission. Kept as JSON in the run's row; absent fields cost nothing. */
export interface RunHead {
  /** The client's idempotency key. */
  readonly key?: string;
  /**
   * This run and those numbered after it, so many together, were one request: `key` is that of the
   * request, and whoever holds it holds all of them.
   */
  readonly batch?: number;
  /** What all of the request asked for, where it is more than the runs numbered after this one. */
  readonly digest?: string;
  /** No second live run of the job may carry the same value. */
  readonly unique?: string;
  /** Not before this time. */
  readonly dueAt?: number;
  /** The window of a schedule that it is the run of. */
  readonly window?: WindowHead;
  /**
   * The window of the run that it retries. Only its handlers are told: for the schedule the window
   * has its run already.
   */
  readonly ofWindow?: RunWindow;
  /** What started it, for people and history. */
  readonly trigger?: { readonly kind: string; readonly by?: string; readonly of?: string };
  /** The event that it was made from. */
  readonly event?: EventHead;
  /** The schedule of expected events, one of whose windows it meets. */
  readonly expects?: string;
  /** W3C trace context of the submission, so that one trace spans client, node and worker. */
  readonly trace?: string;
  /** The alias under which the inbox acknowledged it. */
  readonly inbox?: string;
  /** The task of another run that waits for this one. */
  readonly nested?: NestedHead;
  /** The ended run whose work it goes on with. */
  readonly retryOf?: string;
  /** Where it waits in the store, if it was parked at submission. */
  readonly lane?: string;
}

export interface NestedHead {
  /** The id of that run, and name and index of the task in it. */
  readonly of: string;
  readonly task: string;
  readonly index: number;
  /** Since when it waits: a task that waits a second time waits for another run. */
  readonly since: number;
}

export interface EventHead {
  readonly source: string;
  readonly id: string;
  readonly type: string;
  /** How many ends of runs led to it, one after the other; absent for an event from outside. */
  readonly depth?: number;
}

export interface WindowHead {
  readonly schedule: string;
  readonly at: number;
  /** When it was to start: the window and its jitter. */
  readonly planned: number;
  readonly catchUp?: true;
  /** Made on somebody's word for a window of the past; it decides nothing about the window. */
  readonly backfill?: true;
  /** No other run of the schedule may live beside it. */
  readonly exclusive?: true;
}

/** What a handler is told of the window that its run is for. */
export interface RunWindow {
  readonly schedule: string;
  readonly at: number;
  readonly kind: 'scheduled' | 'catchUp' | 'backfill';
}

/** Undefined for a run that no schedule started. */
export function runWindow({ window, ofWindow }: RunHead): RunWindow | undefined {
  if (window === undefined) return ofWindow;
  const { schedule, at, catchUp, backfill } = window;
  return { schedule, at, kind: backfill ? 'backfill' : catchUp ? 'catchUp' : 'scheduled' };
}

/** One execution of a job version: a graph of tasks, most often of one. */
export class Run {
  readonly partition: number;
  readonly seq: number;
  /** Millisecond in the run's id; when it was submitted. */
  readonly ms: number;
  readonly spec: JobSpec;
  readonly head: RunHead;
  readonly inputBytes: number;
  /** Null where the bytes are in the store only, as after a recovery; loaded when it is dispatched. */
  input: Uint8Array | null;
  class: Class;
  state: RunState = 'PENDING';
  readonly tasks: Task[];
  /** Tasks that are not terminal yet. */
  openTasks: number;
  cancel: { readonly by: string; readonly reason: string } | null = null;
  /** Cancelled, or it fails fast and a task did not succeed: no task of it may be tried again. */
  doomed = false;
  /** The group that holds its newest fact: what a reader must wait for before it may be told. */
  groupNumber = 0;
  /**
   * The group of its submission, where the store may still refuse its idempotency key, or one of a
   * submission that it is answered together with; else 0.
   */
  provisionalIn = 0;
  /** What only a run has that was paused or has grown; null for nearly all. */
  graph: RunGraph | null = null;

  constructor(params: {
    partition: number;
    seq: number;
    ms: number;
    spec: JobSpec;
    head: RunHead;
    class: Class;
    input: Uint8Array | null;
    inputBytes: number;
  }) {
    this.partition = params.partition;
    this.seq = params.seq;
    this.ms = params.ms;
    this.spec = params.spec;
    this.head = params.head;
    this.class = params.class;
    this.input = params.input;
    this.inputBytes = params.inputBytes;
    this.openTasks = params.spec.tasks.length;
    this.tasks = tasksOf(this);
  }
}

/** A list that grows by pushing has room for seventeen, which for one task is most of the run's memory. */
function tasksOf(run: Run): Task[] {
  const { tasks } = run.spec;
  const [only] = tasks;
  if (only !== undefined && tasks.length === 1) return [new Task(run, 0, only)];
  return tasks.map((spec, i) => new Task(run, i, spec));
}

/** One node of a run. Its timer is whatever it waits for next: a due time or a deadline (I16). */
export class Task implements Timed {
  readonly kind = 'task';
  readonly run: Run;
  readonly index: number;
  readonly spec: TaskSpec;
  shape: Shape;
  state: TaskState = 'PENDING';
  /** Parents that have not ended yet; of a fan-out that has begun, children. */
  waitsFor: number;
  /** What only a task has that waits, was fanned out, or lost a parent; null for nearly all. */
  part: TaskPart | null = null;
  /** Not before this time; 0 for at once. */
  dueAt: number;
  /** Attempts made, each with a number of its own: 1..n without gaps (I6). */
  attempts = 0;
  /** Attempts that count against the retry policy; refusals and drains do not. */
  charged = 0;
  /** The live attempt; null unless ASSIGNED or RUNNING. */
  attempt: Attempt | null = null;
  /** Where the previous attempt ran; the next one goes elsewhere if it can (FLT-12). */
  lastWorker: string | null = null;
  /** Position among tasks of its tenant and class; kept when it returns to the queue. */
  order = 0;
  /** The lane it waits in; an entry left behind in another lane is stale. */
  lane: TaskLane | null = null;
  checkpoint: Uint8Array | null = null;
  output: Uint8Array | null = null;
  error: string | null = null;
  /** Ended attempts before the current one; null until there is one. */
  history: AttemptRecord[] | null = null;
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;

  constructor(run: Run, index: number, spec: TaskSpec) {
    this.run = run;
    this.index = index;
    this.spec = spec;
    this.shape = spec.shape;
    this.waitsFor = spec.after.length;
    this.dueAt = run.head.dueAt ?? 0;
  }
}

/** Why an attempt has been told to stop. */
export type StopReason = 'cancelled' | 'timeout' | 'stuck' | 'drained' | 'upstream_failed';

/** One try of a task on one worker. (epoch, token) is its fencing token: it never repeats. */
export class Attempt {
  readonly task: Task;
  readonly number: number;
  readonly epoch: number;
  readonly token: number;
  readonly workerName: string;
  readonly shape: Shape;
  readonly assignedAt: number;
  /** The registered worker whose capacity it holds; null while the worker has not (re)attached. */
  worker: Worker | null = null;
  /** Position in its worker's list. */
  workerIndex = -1;
  startedAt = 0;
  /** When it is stopped; 0 for never. Moved by extensions. */
  hardAt = 0;
  /** Came with a take-over and has not been heard of since. */
  recovered = false;
  /** Its deadline is not enforced before this. */
  notBefore = 0;
  softAlerted = false;
  progress = -1;
  progressAt = 0;
  /** Progress at the last extension: without movement since, no further one (LIV-08). */
  extendedAtProgress = -1;
  /** Stop has been asked for; when the grace ends it is over in any case. 0 while it may run. */
  stopAt = 0;
  stopWhy: StopReason | null = null;
  /** Its worker is not attached; without word of it by then it is lost. */
  orphanUntil = 0;
  /** The assignment has left this node: a worker that then does not know it never got it. */
  sent = false;
  /** Class it was dispatched in; a later change of class does not move what runs. */
  readonly class: Class;
  /** It is in the counts of its zone. */
  zoned = false;
  /** Share of the fleet that it occupies; what its tenant is charged per second. */
  share = 0;
  /** Since when this node charges it: its assignment, or a later take-over. */
  chargedFrom = 0;

  constructor(params: {
    task: Task;
    number: number;
    epoch: number;
    token: number;
    workerName: string;
    shape: Shape;
    assignedAt: number;
  }) {
    this.class = params.task.run.class;
    this.task = params.task;
    this.number = params.number;
    this.epoch = params.epoch;
    this.token = params.token;
    this.workerName = params.workerName;
    this.shape = params.shape;
    this.assignedAt = params.assignedAt;
  }
}

/** An attempt that is over: what history, bill and diagnosis read. */
export interface AttemptRecord {
  readonly number: number;
  readonly worker: string;
  readonly assignedAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** A reason code of `facts/reasons.ts`. */
  readonly outcome: string;
}

/** Names an attempt on the wire and in commands. All five must match the live one (I15). */
export interface AttemptRef {
  readonly partition: number;
  readonly seq: number;
  readonly task: number;
  readonly number: number;
  readonly epoch: number;
  readonly token: number;
}

export function refOf(attempt: Attempt): AttemptRef {
  const run = attempt.task.run;
  return {
    partition: run.partition,
    seq: run.seq,
    task: attempt.task.index,
    number: attempt.number,
    epoch: attempt.epoch,
    token: attempt.token,
  };
}
