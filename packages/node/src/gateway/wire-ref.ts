import type { Attempt, AttemptRef, Engine } from '@signalbox/engine';
import type { Ref } from '@signalbox/protocol';

export function toWire(ref: AttemptRef): Ref {
  return [ref.partition, ref.seq, ref.task, ref.number, ref.epoch, ref.token];
}

export function fromWire(ref: Ref): AttemptRef {
  const [partition, seq, task, number, epoch, token] = ref;
  return { partition, seq, task, number, epoch, token };
}

/** The attempt of this reference on this worker, or null: a worker cannot report attempts of others (SEC-06). */
export function liveAttempt(engine: Engine, worker: string, ref: Ref): Attempt | null {
  const [partition, seq, task, number, epoch, token] = ref;
  const run = engine.core.books.get(partition)?.runs.get(seq);
  const attempt = run?.tasks[task]?.attempt ?? null;
  if (attempt === null || attempt.workerName !== worker) return null;
  const same = attempt.number === number && attempt.epoch === epoch && attempt.token === token;
  return same ? attempt : null;
}

/** Only the owner may call an attempt stale, and not one of a later epoch than its own. */
export function maySayStale(engine: Engine, ref: Ref): boolean {
  const book = engine.core.books.get(ref[0]);
  return book !== undefined && ref[4] <= book.epoch;
}
