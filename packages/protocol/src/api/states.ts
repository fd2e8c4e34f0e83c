import { wordOf } from './common.ts';

export const RUN_STATES = [
  'PENDING',
  'RUNNING',
  'PAUSED',
  'SUCCEEDED',
  'PARTIAL',
  'FAILED',
  'CANCELLED',
] as const;
export const TASK_STATES = [
  'PENDING',
  'QUEUED',
  'ASSIGNED',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'SKIPPED',
  'QUARANTINED',
] as const;
export const RunState = wordOf(RUN_STATES);
export const TaskState = wordOf(TASK_STATES);

export type RunState = (typeof RUN_STATES)[number];
export type TaskState = (typeof TASK_STATES)[number];

/** A run or task in one of these never changes its state again. */
const ENDED: ReadonlySet<string> = new Set<RunState | TaskState>([
  'SUCCEEDED',
  'PARTIAL',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'SKIPPED',
  'QUARANTINED',
]);
const FAILED: ReadonlySet<string> = new Set<TaskState>(['FAILED', 'TIMED_OUT', 'QUARANTINED']);

/** Whether a run or a task of this state has ended. */
export function isEnded(state: string): boolean {
  return ENDED.has(state);
}

/** Whether a task of this state has ended with a failure of its own. */
export function isFailed(state: string): boolean {
  return FAILED.has(state);
}
