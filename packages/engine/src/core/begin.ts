import { taskStarted } from '../facts/facts.ts';
import type { Attempt } from '../model/run.ts';
import type { Core } from './core.ts';
import { armDeadline } from './deadline.ts';

/** Marks the attempt running; also when a re-attached worker turns out to hold it. */
export function begin(core: Core, attempt: Attempt): void {
  const { task, number } = attempt;
  const { partition, seq } = task.run;
  const fact = { partition, seq, task: task.index, at: core.now, attempt: number };
  if (attempt.worker !== null) attempt.worker.unaccepted = 0;
  core.emit(core.bookOf(task.run), taskStarted(fact), task.run);
  startClock(core, attempt);
}

/** Sets the deadlines of a running attempt: when to warn, when to stop. */
export function startClock(core: Core, attempt: Attempt): void {
  const { hardMs, expectedMs } = attempt.task.spec.timeouts;
  const limit =
    hardMs ?? (expectedMs === null ? null : expectedMs * core.settings.hardTimeoutFactor);
  if (attempt.hardAt === 0 && limit !== null) attempt.hardAt = attempt.startedAt + limit;
  attempt.progressAt = core.now;
  armDeadline(core, attempt.task);
}
