import {
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
  readonly state: TaskState;
  readonly error: string | null;
  /** Null for one that came at run time and is told without its definition. */
  readonly spec: TaskSpec | null;
  readonly parents: readonly TaskNow[];
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

export function endedLive(task: Task): EndedTask {
  const { run, spec, state } = task;
  const failed = run.tasks.find((each) => isFailure(each.state));
  return {
    state,
    error: toldError(task, state, task.error),
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
  { tasks, spec }: { tasks: readonly (TaskNow & { error: string | null })[]; spec: JobSpec },
): EndedTask | null {
  const task = tasks.find((each) => each.name === name);
  if (task === undefined) return null;
  const declared = spec.tasks.find((each) => each.name === name) ?? null;
  return {
    state: task.state,
    error: task.error,
    spec: declared,
    parents: (declared?.after ?? []).flatMap((index) => tasks[index] ?? []),
    failed: tasks.find(({ state }) => isFailure(state))?.name ?? null,
    failsFast: spec.graph.failurePolicy === 'FAIL_FAST',
    isLive: false,
  };
}

/** How it ended, what ended it, and what would have it tried again. */
export function ended(task: EndedTask): Finding {
  return { reason: 'ENDED', detail: detailOf(task), suggestion: suggestionOf(task), numbers: {} };
}

function detailOf(task: EndedTask): string {
  const { state, error } = task;
  if (state === 'SUCCEEDED') return 'It has ended as SUCCEEDED.';
  const why = error ?? causeOf(task);
  return why === null ? `It has ended as ${state}.` : `It has ended as ${state}: ${why}`;
}

/** Of what ended without an error of its own. */
function causeOf({ state, spec, parents, failed, failsFast }: EndedTask): string | null {
  if (state === 'SKIPPED') {
    const skipped = parents.find((parent) => parent.state === 'SKIPPED');
    if (skipped !== undefined && spec?.step.ifParentSkipped === 'skip') {
      return `${skipped.name}, which it comes after, was skipped.`;
    }
    if (spec?.step.wait?.kind === 'event') return 'the event did not come in time.';
    return spec?.step.when == null ? null : `its condition is false: ${spec.step.when}`;
  }
  if (state !== 'CANCELLED') return null;
  const lost = parents.find((parent) => parent.state === 'CANCELLED' || isFailure(parent.state));
  if (lost !== undefined) return `${lost.name}, which it comes after, ended as ${lost.state}.`;
  if (failed === null || !failsFast) return null;
  return `${failed} failed, and a failure ends the whole run (failurePolicy FAIL_FAST).`;
}

function suggestionOf({ state, isLive }: EndedTask): string {
  if (state === 'SUCCEEDED') return 'Nothing: it succeeded.';
  if (state === 'SKIPPED') return 'Nothing: its job wants it so.';
  if (!isLive) return 'Retry the run to try it once more; what has succeeded is kept.';
  return 'Its run goes on. When that has ended, retry it; what has succeeded is kept.';
}
