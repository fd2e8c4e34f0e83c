import { commonState, tally } from '@signalbox/graph/states';
import type { AttemptView, TaskState, TaskView } from '@signalbox/protocol';

/** One line about a task, or about a fan-out with all its children. */
export interface TaskRow {
  readonly name: string;
  readonly state: TaskState;
  readonly attempts: readonly AttemptView[];
  /** How often it was tried, which may be more than are listed. */
  readonly attemptCount: number;
  /** The worker of the last attempt; of a fan-out there are many. */
  readonly worker: string;
  readonly error: string | null;
  readonly progress: number | null;
  readonly runAt: string | null;
  /** What it stands for: `93 of 100, 2 failed` of its children, or a nested run; null for itself. */
  readonly tally: string | null;
  /** When it waited for time, a person, an event or a run; null where it is work for a worker. */
  readonly wait: TaskView['wait'] | null;
  /** What it comes after, where that was added at run time; null where the definition tells. */
  readonly after: readonly string[] | null;
}

const CHILD = /^(.+)_chunk_\d+$/;

/** Tasks in their order; the children of a fan-out are included in the row of their parent. */
export function taskRows(tasks: readonly TaskView[]): TaskRow[] {
  const names = new Set(tasks.map(({ name }) => name));
  const children = new Map<string, TaskView[]>();
  const alone: TaskView[] = [];
  for (const task of tasks) {
    const parent = CHILD.exec(task.name)?.[1];
    if (parent === undefined || !names.has(parent)) alone.push(task);
    else {
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [task]);
      else siblings.push(task);
    }
  }
  return alone.map((task) => rowOf(task, children.get(task.name) ?? []));
}

function rowOf(task: TaskView, children: readonly TaskView[]): TaskRow {
  const { name, error, progress, runAt } = task;
  const attempts = [...task.attempts, ...children.flatMap((child) => child.attempts)];
  const states = children.map(({ state }) => state);
  return {
    name,
    // A fan-out itself only waits; the states of its children determine its state.
    state: task.state === 'PENDING' ? (commonState(states) ?? task.state) : task.state,
    attempts,
    attemptCount: [task, ...children].reduce((sum, each) => sum + attemptCount(each), 0),
    worker: children.length > 0 ? '' : (task.attempts.at(-1)?.worker ?? ''),
    error: error ?? children.find((child) => child.error !== null)?.error ?? null,
    progress,
    runAt,
    tally: children.length === 0 ? nestedOf(task) : tally(states),
    wait: task.wait ?? null,
    after: task.after ?? null,
  };
}

/** Attempts are numbered from 1; of very many uncharged ones only the newest are listed. */
export function attemptCount({ attempts }: Pick<TaskView, 'attempts'>): number {
  return attempts.at(-1)?.number ?? 0;
}

function nestedOf({ nestedRun }: TaskView): string | null {
  return nestedRun === undefined ? null : `run ${nestedRun}`;
}

/** From when to when it was worked on, or waited, in milliseconds; null where it has not begun. */
export function spanOf({ attempts, wait }: TaskRow, now: number): [number, number] | null {
  let [from, until] = wait ? waitSpan(wait, now) : [Number.POSITIVE_INFINITY, 0];
  for (const attempt of attempts) {
    const [start, end] = attemptSpan(attempt, now);
    from = Math.min(from, start);
    until = Math.max(until, end);
  }
  return until === 0 ? null : [from, until];
}

export function waitSpan(
  { from, until }: NonNullable<TaskView['wait']>,
  now: number,
): [number, number] {
  const began = Date.parse(from);
  return [began, until === null ? Math.max(now, began) : Date.parse(until)];
}

export function attemptSpan(attempt: AttemptView, now: number): [number, number] {
  const { startedAt, assignedAt, endedAt } = attempt;
  const from = Date.parse(startedAt ?? assignedAt ?? endedAt ?? '');
  if (Number.isNaN(from)) return [now, now];
  return [from, endedAt === null ? Math.max(now, from) : Date.parse(endedAt)];
}
