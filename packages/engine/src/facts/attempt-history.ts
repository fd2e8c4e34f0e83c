import type { AttemptRecord, Task } from '../model/run.ts';
import type { Reason } from './reasons.ts';

/**
 * Records of attempts that cost their task nothing, kept of each task. A worker may refuse one without
 * end, and all of them would stay in memory, in every checkpoint and in the row of the run. Attempts
 * that are charged are bounded by the retry policy.
 */
export const UNCHARGED_KEPT = 100;

const UNCHARGED: ReadonlySet<string> = new Set<Reason>([
  'refused',
  'not_accepted',
  'never_arrived',
  'drained',
  'evicted',
  'preempted',
]);

/** Adds what is over to the history of its task; of too many that cost nothing the oldest goes. */
export function recordAttempt(task: Task, record: AttemptRecord): void {
  task.history ??= [];
  const { history } = task;
  history.push(record);
  if (history.length <= UNCHARGED_KEPT || !UNCHARGED.has(record.outcome)) return;
  const uncharged = history.filter(({ outcome }) => UNCHARGED.has(outcome));
  const [oldest] = uncharged;
  if (oldest === undefined || uncharged.length <= UNCHARGED_KEPT) return;
  history.splice(history.indexOf(oldest), 1);
}
