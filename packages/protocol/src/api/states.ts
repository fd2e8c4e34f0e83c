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

type Phase = 'open' | 'failed' | 'ended';

/** A run or task that is not open never changes its state again. */
const PHASES: Readonly<Record<RunState | TaskState, Phase>> = {
  PENDING: 'open',
  QUEUED: 'open',
  ASSIGNED: 'open',
  RUNNING: 'open',
  PAUSED: 'open',
  SUCCEEDED: 'ended',
  PARTIAL: 'ended',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  QUARANTINED: 'failed',
  CANCELLED: 'ended',
  SKIPPED: 'ended',
};

/** A newer node may report a state that is not in the table: it counts as open. */
function phaseOf(state: string): Phase {
  return Object.hasOwn(PHASES, state) ? PHASES[state as RunState | TaskState] : 'open';
}

/** Whether a run or a task of this state has ended. */
export function isEnded(state: string): boolean {
  return phaseOf(state) !== 'open';
}

/** Whether a task of this state has ended with a failure of its own. */
export function isFailed(state: string): boolean {
  return phaseOf(state) === 'failed';
}
