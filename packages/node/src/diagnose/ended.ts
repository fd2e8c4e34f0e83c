import {
  childName,
  formatRunId,
  isFailure,
  type JobSpec,
  parentsOf,
  type Task,
  type TaskSpec,
  type TaskState,
  taskName,
  toldError,
} from '@signalbox/engine';
import type { Finding } from './reasons.ts';

/** A task that has ended, and what of its run may have ended it. */
export interface EndedTask {
  /** The id of its run. */
  readonly run: string;
  readonly state: TaskState;
  readonly error: string | null;
  /** Null for one that came at run time and is told without its definition. */
  readonly spec: TaskSpec | null;
  readonly parents: readonly TaskNow[];
  /** Of a fan-out: its children that failed, the first of them. */
  readonly failedChildren: readonly TaskEnd[];
  /** The first of its run that failed. */
  readonly failed: string | null;
  readonly failsFast: boolean;
  /** Its run has not ended. */
  readonly isLive: boolean;
}

interface TaskNow {
  readonly name: string;
  readonly state: TaskState;
}

interface TaskEnd extends TaskNow {
  readonly error: string | null;
}

/** Children named in an answer; a fan-out may have thousands. */
const CHILDREN_NAMED = 3;

export function endedLive(task: Task): EndedTask {
  const { run, spec, state, part } = task;
  const failed = run.tasks.find((each) => isFailure(each.state));
  const children =
    part === null || part.firstChild < 0
      ? []
      : run.tasks.slice(part.firstChild, part.firstChild + part.childCount);
  return {
    run: formatRunId(run),
    state,
    error: toldError(task, state, task.error),
    failedChildren: children
      .filter((child) => isFailure(child.state))
      .slice(0, CHILDREN_NAMED)
      .map((child) => ({ name: taskName(child), state: child.state, error: child.error })),
    spec,
    parents: parentsOf(task).map((index) => {
      const parent = run.tasks[index] as Task;
      return { name: taskName(parent), state: parent.state };
    }),
    failed: failed === undefined ? null : taskName(failed),
    failsFast: run.spec.graph.failurePolicy === 'FAIL_FAST',
    isLive: true,
  };
}

/** One of a run that is only in the store. */
export function endedStored(
  name: string,
  { run, tasks, spec }: { run: string; tasks: readonly TaskEnd[]; spec: JobSpec },
): EndedTask | null {
  const task = tasks.find((each) => each.name === name);
  if (task === undefined) return null;
  const declared = spec.tasks.find((each) => each.name === name) ?? null;
  const children = declared?.step.fanOut == null ? [] : childrenOf(name, tasks);
  return {
    run,
    state: task.state,
    error: task.error,
    failedChildren: children.filter((child) => isFailure(child.state)).slice(0, CHILDREN_NAMED),
    spec: declared,
    parents: (declared?.after ?? []).flatMap((index) => tasks[index] ?? []),
    failed: tasks.find(({ state }) => isFailure(state))?.name ?? null,
    failsFast: spec.graph.failurePolicy === 'FAIL_FAST',
    isLive: false,
  };
}

/** In the store a child is known by its name only. */
function childrenOf(name: string, tasks: readonly TaskEnd[]): TaskEnd[] {
  const first = tasks.findIndex((each) => each.name === childName(name, 0));
  if (first < 0) return [];
  const children: TaskEnd[] = [];
  for (let i = first; tasks[i]?.name === childName(name, i - first); i++) {
    children.push(tasks[i] as TaskEnd);
  }
  return children;
}

/** How it ended, what ended it, and what would have it tried again. */
export function ended(task: EndedTask): Finding {
  return { reason: 'ENDED', detail: detailOf(task), suggestion: suggestionOf(task), numbers: {} };
}

function detailOf(task: EndedTask): string {
  const { state, error } = task;
  if (state === 'SUCCEEDED') return 'The task ended as SUCCEEDED.';
  const why = error ?? causeOf(task);
  if (why === null) return `The task ended as ${state}.`;
  const children = task.failedChildren
    .map(
      (child) => `${child.name} (${child.state}${child.error === null ? '' : `: ${child.error}`})`,
    )
    .join(', ');
  return `The task ended as ${state}: ${why}${children === '' ? '' : `: ${children}`}`;
}

/** Of what ended without an error of its own. */
function causeOf({ state, spec, parents, failed, failsFast }: EndedTask): string | null {
  if (state === 'SKIPPED') {
    const skipped = parents.find((parent) => parent.state === 'SKIPPED');
    if (skipped !== undefined && spec?.step.ifParentSkipped === 'skip') {
      return `the parent task ${skipped.name} was skipped.`;
    }
    if (spec?.step.wait?.kind === 'event') return 'the event did not arrive in time.';
    return spec?.step.when == null ? null : `the condition of the task is false: ${spec.step.when}`;
  }
  if (state !== 'CANCELLED') return null;
  const lost = parents.find((parent) => parent.state === 'CANCELLED' || isFailure(parent.state));
  if (lost !== undefined) return `the parent task ${lost.name} ended as ${lost.state}.`;
  if (failed === null || !failsFast) return null;
  return `task ${failed} failed, and a failure ends the whole run (failurePolicy FAIL_FAST).`;
}

function suggestionOf({ run, state, isLive }: EndedTask): string {
  if (state === 'SUCCEEDED') return 'Nothing: the task succeeded.';
  if (state === 'SKIPPED') return 'Nothing: the job definition says so.';
  if (!isLive) return `Retry the run; succeeded tasks are kept: signalbox retry ${run}`;
  return `The run is still open. After its end, retry it; succeeded tasks are kept: signalbox retry ${run}`;
}
