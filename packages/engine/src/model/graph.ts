import { childName } from './grown-names.ts';
import type { Run, Task } from './run.ts';
import { RunEvents } from './run-events.ts';
import type { TaskDefinition } from './spec.ts';
import type { TaskState } from './states.ts';

/** A parent was skipped, and the task goes with it. */
export const PARENT_SKIPPED = 1;
/** A parent did not succeed. */
export const PARENT_FAILED = 2;
/** A gate did not open, or stands further up: no failure policy lets the task run without it. */
export const PARENT_CLOSED = 4;

/** What a task has only in a larger graph. Made when it is needed: most tasks never have one. */
export class TaskPart {
  /** Any of PARENT_SKIPPED, PARENT_FAILED and PARENT_CLOSED. */
  blocked = 0;
  /** Of a child of a fan-out: the task that stands for all of them, and its place among them. */
  group: Task | null = null;
  partition = 0;
  /** Of a fan-out that has begun: where its children are among the run's tasks; -1 before. */
  firstChild = -1;
  childCount = 0;
  childrenFailed = 0;
  /** Of a wait that has begun: since when; 0 before. */
  waitsSince = 0;
  /** When it was over; 0 before. */
  waitedUntil = 0;
  /** Of a wait for a nested run that was accepted: its id. */
  nested: string | null = null;
  /** Why it failed without an attempt, whose record would tell; null otherwise. */
  failedBy: string | null = null;
  /** It waits for its turn among very many that became ready together. */
  paced = false;
  /** Edges that were added at run time, as indexes of tasks. */
  addedBefore: number[] | null = null;
  addedAfter: number[] | null = null;
}

export interface Pause {
  readonly by: string;
  readonly why: PauseReason;
  readonly detail: string;
  /** It was PENDING: no task of it had been assigned, and no wait had begun. */
  readonly unbegun?: true;
}

/** What a run has only when it was paused, has grown, heard events, or goes on with another's work. */
export class RunGraph {
  paused: Pause | null = null;
  /** Raised by its owner; 0 for what the job says. */
  fanOutMax = 0;
  /** How it grew, in order: with the job version this is the whole graph. */
  readonly growth: Growth[] = [];
  /** When its owner was last told that it does not move. */
  alertedAt = 0;
  overdueTold = false;
  /** It failed fast, and everything else of it has been told. */
  stopping = false;
  events: RunEvents | null = null;
}

export type PauseReason = 'asked' | 'task_failed' | 'fan_out_limit';

export type Growth =
  | readonly [kind: 'fanOut', task: number, count: number]
  | readonly [
      kind: 'added',
      by: number,
      tasks: readonly TaskDefinition[],
      edges: readonly (readonly [from: number, to: number])[],
    ];

export function partOf(task: Task): TaskPart {
  if (task.part === null) task.part = newPart();
  return task.part;
}

const newPart = (): TaskPart => new TaskPart();

export function graphOf(run: Run): RunGraph {
  if (run.graph === null) run.graph = new RunGraph();
  return run.graph;
}

export function eventsOf(run: Run): RunEvents {
  const graph = graphOf(run);
  graph.events ??= new RunEvents();
  return graph.events;
}

const IS_FAILURE: Readonly<Record<TaskState, boolean>> = {
  PENDING: false,
  QUEUED: false,
  ASSIGNED: false,
  RUNNING: false,
  SUCCEEDED: false,
  FAILED: true,
  TIMED_OUT: true,
  CANCELLED: false,
  SKIPPED: false,
  QUARANTINED: true,
};

/** Ended, and neither well nor on purpose. */
export function isFailure(state: TaskState): boolean {
  return IS_FAILURE[state];
}

/**
 * An approval that nobody gave, and behind which its author lets the run go on all the same. An approval whose
 * condition cannot be evaluated was never asked for, so nobody has refused it.
 */
function isLetPass({ spec, part }: Task, state: TaskState, reason = part?.failedBy): boolean {
  const { wait } = spec.step;
  if (!isFailure(state) || wait?.kind !== 'approval' || wait.onReject !== 'continue') return false;
  return reason === 'rejected' || reason === 'timeout';
}

/** A failure that the failure policy of its run has to answer. `reason`: of an end that is not recorded yet. */
export function isRunFailure(task: Task, state: TaskState, reason?: string): boolean {
  return isFailure(state) && !isLetPass(task, state, reason);
}

/** A gate that did not open: an approval of this run, or of the nested run that the task stands for. */
export function isClosedGate(task: Task): boolean {
  const { state, spec, part } = task;
  if (!isRunFailure(task, state)) return false;
  return spec.step.wait?.kind === 'approval' || part?.failedBy === 'nested_rejected';
}

/** What is cancelled while its run goes on stands behind a gate: so does whatever comes after it. */
function isClosed(task: Task): boolean {
  return task.state === 'CANCELLED' || isClosedGate(task);
}

export function taskName(task: Task): string {
  const { part, spec } = task;
  return part?.group == null ? spec.name : childName(spec.name, part.partition);
}

/** A child of a fan-out: its group waits for it, and nobody else. */
export function groupOf(task: Task): Task | null {
  return task.part === null ? null : task.part.group;
}

/** Indexes of the tasks that wait for this one. */
export function childrenOf(task: Task): readonly number[] {
  const { part, spec } = task;
  if (part === null) return spec.before;
  if (part.group !== null) return [part.group.index];
  return part.addedBefore === null ? spec.before : [...spec.before, ...part.addedBefore];
}

/** Indexes of the tasks that this one waits for, its own children aside. */
export function parentsOf(task: Task): readonly number[] {
  const { part, spec } = task;
  const of = part?.group ?? task;
  const added = of.part?.addedAfter ?? null;
  return added === null ? spec.after : [...spec.after, ...added];
}

/** A fan-out that has begun waits for its children, no longer for its parents. */
export function isFannedOut(task: Task): boolean {
  return task.part !== null && task.part.firstChild >= 0;
}

/**
 * What the end of a parent means for a child: one less to wait for, and a mark where it was not a
 * success. What the marks lead to is decided once all parents have ended, so that the order in
 * which they end makes no difference (DAG-23).
 */
export function parentEnded(child: Task, parent: Task): void {
  // A fan-out that has begun counts its children: its parents had ended by then, in whatever order
  // that is told again.
  if (!isFannedOut(child) || groupOf(parent) === child) child.waitsFor--;
  const { state } = parent;
  if (state === 'SUCCEEDED' || isLetPass(parent, state)) return;
  const part = partOf(child);
  if (groupOf(parent) === child) {
    part.childrenFailed++;
    return;
  }
  if (state === 'SKIPPED') {
    if (child.spec.step.ifParentSkipped === 'skip') part.blocked |= PARENT_SKIPPED;
    return;
  }
  part.blocked |= isClosed(parent) ? PARENT_FAILED | PARENT_CLOSED : PARENT_FAILED;
}
