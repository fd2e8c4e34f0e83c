import {
  type AttemptRecord,
  CLASSES,
  type ClassName,
  type DetailTask,
  formatRunId,
  type Growth,
  isParked,
  parseDetail,
  type Run,
  type RunDetail,
  type RunGraph,
  type RunHead,
  type RunId,
  type RunState,
  resultOutput,
  type Task,
  type TaskState,
  toldError,
  type Waited,
} from '@signalbox/engine';
import { type Store, type StoredRun, StoreError } from '@signalbox/store';
import type { CommitLoop } from './loop.ts';
import { ALL_TASKS, selectTasks, type TaskSelection } from './task-selection.ts';

/** A run as a reader is shown it. */
export interface RunView {
  readonly id: RunId;
  readonly tenant: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly class: ClassName;
  readonly state: RunState;
  readonly head: RunHead;
  readonly endedAtMs: number | null;
  /** Those that were asked for. */
  readonly tasks: readonly TaskRead[];
  /** Where those go on that were not told; null where nothing is left. */
  readonly nextTask: number | null;
  /** Of a run that waits in the store: how every task of it waits that waits for no other. */
  readonly parked?: Omit<TaskRead, 'index'>;
  /** How its graph grew beyond its job version. */
  readonly growth: readonly Growth[];
  /** Why it is held, and by whom. */
  readonly paused?: NonNullable<RunGraph['paused']>;
  readonly output: Uint8Array | null;
}

export interface TaskRead {
  readonly index: number;
  readonly state: TaskState;
  readonly error: string | null;
  readonly attempts: readonly AttemptRecord[];
  /** As the live attempt last told; absent where it has told none. */
  readonly progress?: number;
  /** When a task that waits for its time goes on. */
  readonly dueAtMs?: number;
  /** Of a wait that has begun. */
  readonly wait?: Waited;
  /** The run that it waits for, or waited for. */
  readonly nested?: string;
  /** Why it failed, where no attempt of this run tells. */
  readonly failedBy?: string;
}

/**
 * Answers for one run, or null for an absent one and for another tenant's alike. Only what is
 * durable is told: a reader that saw an end which a crash then undid would have been lied to
 * (I20). Null from `readRun` also where this node may not answer: ask the owner.
 */
export async function readRun(params: {
  loop: CommitLoop;
  store: Store;
  tenant: string;
  id: RunId;
  select?: TaskSelection;
  /** Its row without an end, where that has just been read: a parked run is shown without another read. */
  stored?: StoredRun;
  /** How often the run was neither in memory nor in the store where it should be. */
  missed?: number;
}): Promise<RunView | null | 'not_owner'> {
  const { loop, store, tenant, id, select = ALL_TASKS } = params;
  if (!loop.owns(id.partition)) return 'not_owner';
  const known = loop.engine.core.books.get(id.partition);
  const run = known?.runs.get(id.seq);
  if (run !== undefined && run.ms === id.ms) {
    if (run.spec.tenant !== tenant) return null;
    const view = viewOf(run, select);
    await loop.durable(run.groupNumber);
    // Ownership may have ended while we waited; then the view may never become true.
    return loop.owns(id.partition) ? view : 'not_owner';
  }
  const ending = loop.endingGroup(id.partition, id.seq);
  if (ending !== null) await loop.durable(ending);
  else if (known !== undefined && params.stored !== undefined) {
    const head = headOf(params.stored);
    if (isParked(known, { seq: id.seq, head })) return viewOfStored(params.stored, select);
  }
  const stored = await store.getRun({ tenant, id });
  if (stored === null || stored.end !== null) return stored && viewOfStored(stored, select);
  // Without an end it waits parked, if this node may still say so: its end may have been dropped
  // with a lost partition, and then its next owner knows better than "waiting".
  const book = loop.engine.core.books.get(id.partition);
  if (book === undefined || !loop.owns(id.partition)) return 'not_owner';
  if (book.aside.has(id.seq)) throw isAside(id);
  const parked = isParked(book, { seq: id.seq, head: headOf(stored) });
  if (parked) return viewOfStored(stored, select);
  // It was brought into memory, and may have ended since, while the store was asked.
  const missed = (params.missed ?? 0) + 1;
  if (missed >= MISSED_MAX) {
    // A run of a lane was passed over, because its place or its job version cannot be read.
    throw headOf(stored).lane === undefined ? await lostEnd(store, tenant, id) : isAside(id);
  }
  return readRun({ ...params, missed });
}

/** A run moves at most from the store to memory and back while it is looked for. */
const MISSED_MAX = 10;

/** The journal has ended the run, and its end is not in the store: its row has another key now, or is lost. */
export async function lostEnd(store: Store, tenant: string, id: RunId): Promise<StoreError> {
  const key = formatRunId(id);
  const place = { kind: 'end', key, partition: id.partition, tenant } as const;
  const error = 'the row is missing, and the run has ended';
  await store.setAside({ ...place, error, bytes: new Uint8Array(0) });
  return new StoreError('damaged', `the end of run ${key} is missing; see "signalbox doctor"`);
}

/** The run is open, but its row or its job version could not be read when the partition was taken over. */
export function isAside(id: RunId): StoreError {
  return new StoreError('damaged', `run ${formatRunId(id)} was set aside; see "signalbox doctor"`);
}

/** `stateOf`: how a task stands for whoever reads it from the journal, where readiness is derived. */
export function viewOf(
  run: Run,
  select: TaskSelection,
  stateOf: (task: Task) => TaskState = ({ state }) => state,
): RunView {
  const { tasks } = run;
  const selected = selectTasks(tasks.length, (i) => stateOf(tasks[i] as Task), select);
  return {
    id: { ms: run.ms, partition: run.partition, seq: run.seq },
    tenant: run.spec.tenant,
    job: run.spec.job,
    jobVersion: run.spec.version,
    class: CLASSES[run.class],
    state: run.state,
    head: run.head,
    endedAtMs: null,
    tasks: selected.indexes.map((index) => {
      const task = tasks[index] as Task;
      return readTask(task, stateOf(task));
    }),
    nextTask: selected.next,
    growth: run.graph?.growth ?? [],
    ...(run.graph?.paused == null ? {} : { paused: run.graph.paused }),
    output: null,
  };
}

function readTask(task: Task, state: TaskState): TaskRead {
  const { index, attempt, part, dueAt } = task;
  return {
    index,
    state,
    // What an earlier try said is no error of a task that succeeded.
    error: state === 'SUCCEEDED' ? null : toldError(task, state, task.error),
    attempts: attemptsOf(task),
    ...(attempt !== null && attempt.progress >= 0 ? { progress: attempt.progress } : {}),
    ...(state === 'PENDING' && dueAt > 0 ? { dueAtMs: dueAt } : {}),
    ...(part !== null && part.waitsSince > 0
      ? { wait: { from: part.waitsSince, until: part.waitedUntil } }
      : {}),
    ...(part === null || part.nested === null ? {} : { nested: part.nested }),
    ...(part === null || part.failedBy === null ? {} : { failedBy: part.failedBy }),
  };
}

function attemptsOf(task: Task): AttemptRecord[] {
  const past = task.history ?? [];
  const { attempt } = task;
  if (attempt === null) return [...past];
  const { number, workerName: worker, assignedAt, startedAt } = attempt;
  return [...past, { number, worker, assignedAt, startedAt, endedAt: 0, outcome: '' }];
}

/** A run that no owner holds in memory: it has ended, or waits parked in the store. */
export function viewOfStored({ run, end }: StoredRun, select: TaskSelection): RunView {
  const head = headOf({ run });
  const detail = end === null ? null : parseDetail(end.detail, run.id.ms);
  const waiting: TaskState = head.lane === undefined || head.lane === 'due' ? 'PENDING' : 'QUEUED';
  return {
    id: run.id,
    tenant: run.tenant,
    job: run.job,
    jobVersion: run.jobVersion,
    class: CLASSES[run.class],
    state: end === null ? 'PENDING' : (end.state as RunState),
    head,
    endedAtMs: end?.endedAtMs ?? null,
    ...(detail === null
      ? {
          tasks: [],
          nextTask: null,
          parked: { state: waiting, error: null, attempts: [], ...dueOf(head, waiting) },
        }
      : endedTasks(detail, select)),
    growth: detail?.growth ?? [],
    output: detail === null ? null : resultOutput(detail, end?.output ?? null),
  };
}

export function headOf({ run }: { readonly run: StoredRun['run'] }): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}

function dueOf({ dueAt }: RunHead, state: TaskState): { dueAtMs?: number } {
  return dueAt === undefined || state !== 'PENDING' ? {} : { dueAtMs: dueAt };
}

function endedTasks(
  { tasks }: RunDetail,
  select: TaskSelection,
): Pick<RunView, 'tasks' | 'nextTask'> {
  const { indexes, next } = selectTasks(
    tasks.length,
    (i) => (tasks[i] as DetailTask).state,
    select,
  );
  return {
    tasks: indexes.map((index) => {
      const { output: _output, ...task } = tasks[index] as DetailTask;
      return { index, ...task };
    }),
    nextTask: next,
  };
}
