import type { Attempt, Task } from '../model/run.ts';
import type { Core } from './core.ts';

/** Arms the task's timer for the next thing that must be looked at while its attempt is live (I16). */
export function armDeadline(core: Core, task: Task): void {
  const at = task.attempt === null ? null : nextDeadline(core, task.attempt);
  if (at === null) core.wheel.disarm(task);
  else core.wheel.arm(task, at);
}

/** Null where only the worker's own liveness bounds the attempt. */
function nextDeadline(core: Core, attempt: Attempt): number | null {
  const acceptedBy = acceptanceAt(core, attempt);
  if (attempt.stopAt !== 0) return Math.min(attempt.stopAt, acceptedBy ?? attempt.stopAt);
  if (attempt.worker === null) return attempt.orphanUntil;
  if (acceptedBy !== null) return acceptedBy;
  let at = Number.POSITIVE_INFINITY;
  if (attempt.hardAt > 0) at = hardTimeoutAt(attempt);
  const soft = softTimeoutAt(core, attempt);
  if (soft !== null && soft < at) at = soft;
  const stuck = stuckAt(core, attempt);
  if (stuck !== null && stuck < at) at = stuck;
  return at === Number.POSITIVE_INFINITY ? null : at;
}

/**
 * When an assignment that nobody accepts is taken back (PLC-10); null once it is accepted, or where its
 * worker is gone. A stop does not put it off: the grace is time for work that has begun, and of a job
 * that allows days for it, an assignment that never arrived would hold its place for days.
 */
export function acceptanceAt(core: Core, { worker, task, assignedAt }: Attempt): number | null {
  if (worker === null || task.state !== 'ASSIGNED') return null;
  return assignedAt + core.settings.acceptMs;
}

/** When it is stopped, if it has a deadline at all. */
export function hardTimeoutAt(attempt: Attempt): number {
  return Math.max(attempt.hardAt, attempt.notBefore);
}

/** When to warn that it takes twice as long as expected (LIV-07); null once warned. */
export function softTimeoutAt(core: Core, attempt: Attempt): number | null {
  const { expectedMs } = attempt.task.spec.timeouts;
  if (expectedMs === null || attempt.softAlerted) return null;
  return attempt.startedAt + expectedMs * core.settings.softTimeoutFactor;
}

/**
 * When standing progress means stuck (LIV-03). A task that reports none and does not ask for this
 * is bounded by its timeout only: six quiet hours are not a fault (U002).
 */
export function stuckAt(core: Core, attempt: Attempt): number | null {
  const { progressMs } = attempt.task.spec.timeouts;
  if (progressMs === null && attempt.progress < 0) return null;
  return attempt.progressAt + (progressMs ?? core.settings.progressMs);
}
