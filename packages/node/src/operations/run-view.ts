import {
  type AttemptRecord,
  CLASSES,
  formatRunId,
  type JobSpec,
  type NestedHead,
  type WindowHead,
} from '@signalbox/engine';
import {
  type AttemptView,
  attemptId,
  looksLikeBlobRef,
  type RunView,
  type TaskView,
  taskId,
} from '@signalbox/protocol';
import type { InboxEntry } from '@signalbox/store';
import type { NodeContext } from '../context.ts';
import type { RunView as EngineView } from '../loop/index.ts';
import { grownNames } from './grown-names.ts';
import { isReserved } from './reserved-key.ts';

type EngineTask = EngineView['tasks'][number];

/** A run as the API shows it: names instead of indexes, instants instead of milliseconds. */
export async function showRun(context: NodeContext, view: EngineView): Promise<RunView> {
  const { tenant, job, jobVersion: version } = view;
  const spec = await context.loop.specs.load({ tenant, job, version });
  return { ...showHead(view), tasks: showTasks(view, spec), ...outputOf(view.output) };
}

/** Everything but tasks and output: what a list shows. */
export function showHead(view: EngineView): RunView {
  const { head } = view;
  return {
    id: formatRunId(view.id),
    job: view.job,
    jobVersion: view.jobVersion,
    class: view.class,
    state: view.state,
    submittedAt: instant(view.id.ms),
    endedAt: view.endedAtMs === null ? null : instant(view.endedAtMs),
    // What the node derived says nothing to whoever submitted it.
    ...(head.key === undefined || isReserved(head.key) ? {} : { key: head.key }),
    ...(head.trigger === undefined ? {} : { trigger: { ...head.trigger } }),
    ...(view.paused === undefined ? {} : { paused: { ...view.paused } }),
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
  return { schedule, at: instant(at), planned: instant(planned), catchUp, backfill };
}

/** A submission that no owner has taken in yet. */
export function showInboxEntry(entry: InboxEntry): RunView {
  return {
    id: entry.id,
    job: entry.job,
    jobVersion: 0,
    class: CLASSES[entry.class],
    state: 'PENDING',
    submittedAt: instant(entry.atMs),
    endedAt: null,
    ...(entry.key === null || isReserved(entry.key) ? {} : { key: entry.key }),
    tasks: [],
  };
}

function showTasks(view: EngineView, spec: JobSpec): TaskView[] {
  const run = formatRunId(view.id);
  const declared = spec.tasks.map((task, i) => {
    const known = view.tasks[i];
    return showTask(run, task.name, known ?? waiting(view, task.after.length > 0));
  });
  const grown = grownNames(spec, view.growth).map((name, i) =>
    showTask(run, name, view.tasks[spec.tasks.length + i] as EngineTask),
  );
  return grown.length === 0 ? declared : [...declared, ...grown];
}

/** A parked run is one row: its tasks are those of its job version, and wait with it. */
function waiting(view: EngineView, hasParents: boolean): EngineTask {
  const first = view.tasks[0] as EngineTask;
  return hasParents ? { name: '', state: 'PENDING', error: null, attempts: [] } : first;
}

function showTask(run: string, name: string, task: EngineTask): TaskView {
  return {
    id: taskId(run, name),
    name,
    state: task.state,
    error: task.error,
    progress: task.progress ?? null,
    dueAt: task.dueAtMs === undefined ? null : instant(task.dueAtMs),
    attempts: task.attempts.map((attempt) => showAttempt(run, name, attempt)),
    ...(task.nested === undefined ? {} : { nestedRun: task.nested }),
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

/** A short one may end before its worker has said that it took it: it began when it was given. */
function startedAt({ startedAt, assignedAt, outcome }: AttemptRecord): number {
  return startedAt === 0 && outcome === 'succeeded' ? assignedAt : startedAt;
}
