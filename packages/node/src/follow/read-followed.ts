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
import { followedBooks } from './followed-books.ts';

/**
 * A run of a partition that another node owns, or none does: folded from the journal. What the owner
 * has decided since the last reading is not in it yet; `FOLLOW_MS` bounds that.
 */
export async function readFollowed(params: {
  loop: CommitLoop;
  store: Store;
  tenant: string;
  id: RunId;
  select: TaskSelection;
  /** Its row, where that has just been read. */
  stored?: StoredRun;
}): Promise<RunView | null> {
  const { loop, store, tenant, id, select } = params;
  const stored = params.stored ?? (await store.getRun({ tenant, id }));
  if (stored === null || stored.end !== null) return stored && viewOfStored(stored, select);
  const books = followedBooks(loop, store);
  for (const maxAgeMs of [undefined, 0]) {
    const { book } = await books.follow(id.partition, maxAgeMs);
    const run = book.runs.get(id.seq);
    if (run !== undefined && run.ms === id.ms) {
      return viewOf(run, select, (task) => derivedState(task, loop.time.now()));
    }
    if (book.aside.has(id.seq)) throw isAside(id);
    if (isParked(book, { seq: id.seq, head: headOf(stored) })) return viewOfStored(stored, select);
    // Younger than the last reading, or it has ended since its row was read.
    const again = await store.getRun({ tenant, id });
    if (again !== null && again.end !== null) return viewOfStored(again, select);
  }
  // A run that was never parked is in the journal until its end is in the store.
  if (headOf(stored).lane === undefined) throw await lostEnd(store, tenant, id);
  return viewOfStored(stored, select);
}

/**
 * Readiness is never written (a task that waits for nothing but a worker has no fact of its own), so
 * whoever reads the journal derives it, as the owner did.
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
