import { isParked, type RunId, type Task, type TaskState } from '@signalbox/engine';
import type { Store, StoredRun } from '@signalbox/store';
import {
  type CommitLoop,
  headOf,
  isAside,
  lostEnd,
  type RunView,
  type TaskSelection,
  viewOf,
  viewOfStored,
} from '../loop/index.ts';
import { replicasOf } from './partition-replicas.ts';

/**
 * Returns a run of a partition that this node does not own, folded from the journal. The replica lags behind the
 * owner by at most `REPLICA_AGE_MS`.
 */
export async function readReplica(params: {
  loop: CommitLoop;
  store: Store;
  tenant: string;
  id: RunId;
  select: TaskSelection;
  /** The row of the run, if it has just been read. */
  stored?: StoredRun;
}): Promise<RunView | null> {
  const { loop, store, tenant, id, select } = params;
  const stored = params.stored ?? (await store.getRun({ tenant, id }));
  if (stored === null || stored.end !== null) return stored && viewOfStored(stored, select);
  const replicas = replicasOf(loop, store);
  for (const maxAgeMs of [undefined, 0]) {
    const { book } = await replicas.read(id.partition, maxAgeMs);
    const run = book.runs.get(id.seq);
    if (run !== undefined && run.ms === id.ms) {
      return viewOf(run, select, (task) => derivedState(task, loop.time.now()));
    }
    if (book.aside.has(id.seq)) throw isAside(id);
    if (isParked(book, { seq: id.seq, head: headOf(stored) })) return viewOfStored(stored, select);
    // The run is newer than the replica, or has ended since its row was read.
    const again = await store.getRun({ tenant, id });
    if (again !== null && again.end !== null) return viewOfStored(again, select);
  }
  // A run that was never parked is in the journal until its end is in the store.
  if (headOf(stored).lane === undefined) throw await lostEnd(store, tenant, id);
  return viewOfStored(stored, select);
}

/**
 * The state of a task including readiness, which has no fact of its own: a reader of the journal derives it, as the
 * owner does.
 */
export function derivedState(task: Task, now: number): TaskState {
  const { state, run, part, spec } = task;
  if (state !== 'PENDING' || task.waitsFor > 0 || task.dueAt > now) return state;
  if (run.doomed || run.state === 'PAUSED') return state;
  if (part !== null && (part.waitsSince > 0 || part.firstChild >= 0)) return state;
  const isChild = part !== null && part.group !== null;
  const isForWorkers = isChild || (spec.step.fanOut === null && spec.step.wait === null);
  return isForWorkers ? 'QUEUED' : state;
}
