import {
  type AttemptRecord,
  CLASSES,
  failureOf,
  formatRunId,
  isReserved,
  type JobSpec,
  type NestedHead,
  type RunId,
  taskNameAt,
  type WindowHead,
} from '@signalbox/engine';
import {
  type AttemptView,
  attemptId,
  looksLikeBlobRef,
  type RunView,
  type TaskState,
  type TaskView,
  taskId,
} from '@signalbox/protocol';
import type { InboxEntry } from '@signalbox/store';
import type { NodeContext } from '../../context/node-context.ts';
import {
  type RunView as EngineView,
  selectTasks,
  type TaskRead,
  type TaskSelection,
} from '../../loop/index.ts';
import { type ListScope, sealCursor } from '../common/cursors.ts';
import { AddedParents } from './added-parents.ts';
import { windowId } from './window-id.ts';

/** Maximum number of tasks in one response; the others are read in pages. */
export const TASKS_SHOWN_MAX = 1_000;
export const FIRST_TASKS: TaskSelection = { from: 0, limit: TASKS_SHOWN_MAX };

/** A run as the API shows it: names instead of indexes, instants instead of milliseconds. */
export async function showRun(
  context: NodeContext,
  view: EngineView,
  select: TaskSelection = FIRST_TASKS,
): Promise<RunView> {
  const { tenant, job, jobVersion: version } = view;
  const spec = await context.loop.specs.load({ tenant, job, version });
  const { tasks, nextTasks } = showTasks(view, spec, select);
  const shown = { ...showHead(view), tasks, ...outputOf(view.output) };
  if (nextTasks === undefined) return shown;
  const scope = tasksOf(tenant, view.id);
  return { ...shown, nextTasks: await sealCursor(context.store, scope, nextTasks) };
}

/** The list that a cursor among the tasks of a run belongs to. */
export function tasksOf(tenant: string, id: RunId, state?: TaskState): ListScope {
  return { list: 'run tasks', tenant, filter: { run: formatRunId(id), state } };
}

/** Everything but tasks and output: what a list shows. */
export function showHead(view: EngineView): RunView {
  const { head } = view;
  return {
    id: formatRunId(view.id),
    job: view.job,
    jobVersion: view.jobVersion,
    priority: view.class,
    state: view.state,
    submittedAt: instant(view.id.ms),
    endedAt: view.endedAtMs === null ? null : instant(view.endedAtMs),
    // Keys that the node derived mean nothing to the submitter.
    ...(head.key === undefined || isReserved(head.key) ? {} : { idempotencyKey: head.key }),
    ...(head.trigger === undefined ? {} : { trigger: { ...head.trigger } }),
    ...(view.paused === undefined ? {} : { paused: showPause(view.paused) }),
    ...(head.event === undefined ? {} : { event: { ...head.event } }),
    ...(head.nested === undefined ? {} : { nestedIn: showParent(head.nested) }),
    ...(head.window === undefined ? {} : { window: showWindow(head.window) }),
    tasks: [],
  };
}

function showParent({ of, task }: NestedHead): NonNullable<RunView['nestedIn']> {
  return { run: of, task };
}

function showWindow(window: WindowHead): NonNullable<RunView['window']> {
  const { schedule, at, planned, catchUp = false, backfill = false } = window;
  const id = windowId(schedule, at);
  return { id, schedule, at: instant(at), planned: instant(planned), catchUp, backfill };
}

/** A submission that no owner has taken in yet. */
export function showInboxEntry(entry: InboxEntry): RunView {
  return {
    id: entry.id,
    job: entry.job,
    jobVersion: 0,
    priority: CLASSES[entry.class],
    state: 'PENDING',
    submittedAt: instant(entry.atMs),
    endedAt: null,
    ...(entry.key === null || isReserved(entry.key) ? {} : { idempotencyKey: entry.key }),
    tasks: [],
  };
}

interface TasksShown {
  readonly tasks: TaskView[];
  /** The position after them if there are more. */
  readonly nextTasks?: string;
}

/** The tasks of a view by name, with parents that the definition does not contain. */
export function showTasks(view: EngineView, spec: JobSpec, select: TaskSelection): TasksShown {
  const run = formatRunId(view.id);
  const { tasks, next } =
    view.parked === undefined ? loaded(view) : parked(view.parked, spec, select);
  const parents = new AddedParents(spec, view.growth, tasks);
  const shown = tasks.map((task) => {
    const name = taskNameAt(spec, view.growth, task.index);
    const after = parents.of(task.index);
    return { ...showTask(run, name, task), ...(after === null ? {} : { after }) };
  });
  return next === null ? { tasks: shown } : { tasks: shown, nextTasks: String(next) };
}

interface SelectedTasks {
  readonly tasks: readonly TaskRead[];
  readonly next: number | null;
}

function loaded({ tasks, nextTask }: EngineView): SelectedTasks {
  return { tasks, next: nextTask };
}

/** A parked run is one row: its tasks are those of its job version, and wait with it. */
function parked(
  first: Omit<TaskRead, 'index'>,
  { tasks }: JobSpec,
  select: TaskSelection,
): SelectedTasks {
  const taskAt = (index: number): TaskRead =>
    tasks[index]?.after.length === 0
      ? { index, ...first }
      : { index, state: 'PENDING', error: null, attempts: [] };
  const { indexes, next } = selectTasks(tasks.length, (index) => taskAt(index).state, select);
  return { tasks: indexes.map(taskAt), next };
}

function showTask(run: string, name: string, task: TaskRead): TaskView {
  const { wait } = task;
  const reason = failureOf(task);
  return {
    id: taskId(run, name),
    name,
    state: task.state,
    error: task.error,
    ...(reason === undefined ? {} : { reason }),
    progress: task.progress ?? null,
    runAt: task.dueAtMs === undefined ? null : instant(task.dueAtMs),
    attempts: task.attempts.map((attempt) => showAttempt(run, name, attempt)),
    ...(task.nested === undefined ? {} : { nestedRun: task.nested }),
    ...(wait === undefined
      ? {}
      : { wait: { from: instant(wait.from), until: instantOrNull(wait.until) } }),
  };
}

function showAttempt(run: string, task: string, attempt: AttemptRecord): AttemptView {
  return {
    id: attemptId(run, task, attempt.number),
    number: attempt.number,
    worker: attempt.worker,
    assignedAt: instantOrNull(attempt.assignedAt),
    startedAt: instantOrNull(startedAt(attempt)),
    endedAt: instantOrNull(attempt.endedAt),
    outcome: attempt.outcome,
  };
}

function outputOf(output: Uint8Array | null): { output?: unknown } {
  if (output === null || looksLikeBlobRef(output)) return {};
  try {
    return { output: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(output)) };
  } catch {
    // Any byte string is a valid output; what is no JSON is read as bytes.
    return {};
  }
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function instantOrNull(ms: number): string | null {
  return ms === 0 ? null : instant(ms);
}

/** A short attempt may end before its acceptance arrives: then it started when it was assigned. */
function startedAt({ startedAt, assignedAt, outcome }: AttemptRecord): number {
  return startedAt === 0 && outcome === 'succeeded' ? assignedAt : startedAt;
}

function showPause({ by, why, detail }: NonNullable<EngineView['paused']>) {
  return { by, why, detail };
}
