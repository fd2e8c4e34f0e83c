import type { Attempt, AttemptRef } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';
import type { Core } from './core.ts';
import { lingerShortly } from './lingering.ts';
import { wake } from './occupy.ts';

/** After so many times in a row a worker that beats but starts nothing is cordoned. */
export const UNACCEPTED_MAX = 3;
/** … and tried again after so long. */
const IDLE_MS = 300_000;

/**
 * The live attempt that a worker speaks of, or null. Everything must match: the token says which
 * assignment it is, the worker says whose (I5, I15, DUR-10). A superseded attempt can therefore not
 * finish, checkpoint, extend or renew anything.
 */
export function findAttempt(core: Core, worker: string, ref: AttemptRef): Attempt | null {
  const task = core.books.get(ref.partition)?.runs.get(ref.seq)?.tasks[ref.task];
  const attempt = task?.attempt;
  if (attempt === undefined || attempt === null) return null;
  const same =
    attempt.token === ref.token &&
    attempt.epoch === ref.epoch &&
    attempt.number === ref.number &&
    attempt.workerName === worker;
  return same ? attempt : null;
}

/** Any message is a sign of life, stamped with this node's time (LIV-05). */
export function heardFrom(core: Core, name: string): Worker | null {
  const worker = core.workers.workers.get(name);
  if (worker === undefined) return null;
  worker.lastSeenAt = core.now;
  worker.missedBeats = 0;
  if (worker.status === 'suspect' || isTriedAgain(core, worker)) {
    worker.status = 'healthy';
    core.workers.refresh(worker);
    wake(core, worker);
  }
  return worker;
}

/**
 * What kept it from accepting may be gone, as a link that was cut in one direction: it gets one
 * assignment, and the next one that it lets go unaccepted cordons it again.
 */
function isTriedAgain({ now }: Core, worker: Worker): boolean {
  const { idleSince, status } = worker;
  if (idleSince === null || status !== 'cordoned' || now - idleSince < IDLE_MS) return false;
  worker.idleSince = null;
  worker.unaccepted = UNACCEPTED_MAX - 1;
  return true;
}

/**
 * Tells the worker that the attempt is not its any more. Only the owner may say so, and not about
 * an assignment of a later epoch: a node that has been superseded without knowing it would
 * otherwise stop what its successor has just started.
 */
export function answerStale(core: Core, worker: string, ref: AttemptRef): void {
  const book = core.books.get(ref.partition);
  if (book === undefined || ref.epoch > book.epoch) return;
  core.tell({ kind: 'stale', worker, ref });
  const record = core.workers.workers.get(worker);
  if (record !== undefined) lingerShortly(core, record, ref);
}
