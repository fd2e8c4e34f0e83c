import {
  type AttemptRecord,
  CLASSES,
  type ClassName,
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
  taskName,
  toldError,
} from '@signalbox/engine';
import type { Store, StoredRun } from '@signalbox/store';
import type { CommitLoop } from './loop.ts';

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
  readonly tasks: readonly {
    readonly name: string;
    readonly state: TaskState;
    readonly error: string | null;
    readonly attempts: readonly AttemptRecord[];
    /** As the live attempt last told; absent where it has told none. */
    readonly progress?: number;
    /** When a task that waits for its time goes on. */
    readonly dueAtMs?: number;
    /** The run that it waits for, or waited for. */
    readonly nested?: string;
  }[];
  /** How its graph grew beyond its job version. */
  readonly growth: readonly Growth[];
  /** Why it is held, and by whom. */
  readonly paused?: NonNullable<RunGraph['paused']>;
  readonly output: Uint8Array | null;
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
}): Promise<RunView | null | 'not_owner'> {
  const { loop, store, tenant, id } = params;
  if (!loop.owns(id.partition)) return 'not_owner';
  const run = loop.engine.core.books.get(id.partition)?.runs.get(id.seq);
  if (run !== undefined && run.ms === id.ms) {
    if (run.spec.tenant !== tenant) return null;
    const view = viewOf(run);
    await loop.durable(run.groupNumber);
    // Ownership may have ended while we waited; then the view may never become true.
    return loop.owns(id.partition) ? view : 'not_owner';
  }
  const ending = loop.endingGroup(id.partition, id.seq);
  if (ending !== null) await loop.durable(ending);
  const stored = await store.getRun({ tenant, id });
  if (stored === null || stored.end !== null) return stored && viewOfStored(stored);
  // Without an end it waits parked, if this node may still say so: its end may have been dropped
  // with a lost partition, and then its next owner knows better than "waiting".
  const book = loop.engine.core.books.get(id.partition);
  if (book === undefined || !loop.owns(id.partition)) return 'not_owner';
  const parked = isParked(book, { seq: id.seq, head: headOf(stored) });
  // It was brought into memory, and may have ended since, while the store was asked.
  return parked ? viewOfStored(stored) : readRun(params);
}

export function viewOf(run: Run): RunView {
  return {
    id: { ms: run.ms, partition: run.partition, seq: run.seq },
    tenant: run.spec.tenant,
    job: run.spec.job,
    jobVersion: run.spec.version,
    class: CLASSES[run.class],
    state: run.state,
    head: run.head,
    endedAtMs: null,
    tasks: run.tasks.map((task) => ({
      name: taskName(task),
      state: task.state,
      error: toldError(task, task.state, task.error),
      attempts: attemptsOf(task),
      ...(task.attempt !== null && task.attempt.progress >= 0
        ? { progress: task.attempt.progress }
        : {}),
      ...(task.state === 'PENDING' && task.dueAt > 0 ? { dueAtMs: task.dueAt } : {}),
      ...(task.part === null || task.part.nested === null ? {} : { nested: task.part.nested }),
    })),
    growth: run.graph?.growth ?? [],
    ...(run.graph?.paused == null ? {} : { paused: run.graph.paused }),
    output: null,
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
export function viewOfStored({ run, end }: StoredRun): RunView {
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
    tasks:
      end === null
        ? [{ name: 'main', state: waiting, error: null, attempts: [], ...dueOf(head, waiting) }]
        : namedTasks(detail as RunDetail),
    growth: detail?.growth ?? [],
    output: detail === null ? null : resultOutput(detail, end?.output ?? null),
  };
}

function headOf({ run }: { readonly run: StoredRun['run'] }): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}

function dueOf({ dueAt }: RunHead, state: TaskState): { dueAtMs?: number } {
  return dueAt === undefined || state !== 'PENDING' ? {} : { dueAtMs: dueAt };
}

/** Tasks of the job version are named by it; those that came later name themselves. */
function namedTasks({ tasks }: RunDetail): RunView['tasks'] {
  return tasks.map(({ output: _output, ...task }, i) => ({ name: `${i}`, ...task }));
}
