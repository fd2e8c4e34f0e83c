/**
 * The published state machine of tasks and runs. `docs/lifecycle.md` shows the same tables and a
 * test compares the two. DUR-01: only the moves listed here exist; I3: nothing leaves a terminal state.
 */
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
export type TaskState = (typeof TASK_STATES)[number];

export const TASK_MOVES: { readonly [S in TaskState]: readonly TaskState[] } = {
  PENDING: [
    'QUEUED',
    'PENDING',
    'SUCCEEDED',
    'FAILED',
    'TIMED_OUT',
    'CANCELLED',
    'SKIPPED',
    // Only where a retry takes it over from the run before, as it ended there.
    'QUARANTINED',
  ],
  QUEUED: ['ASSIGNED', 'PENDING', 'CANCELLED', 'SKIPPED'],
  ASSIGNED: [
    'RUNNING',
    'QUEUED',
    'PENDING',
    'SUCCEEDED',
    'FAILED',
    'TIMED_OUT',
    'CANCELLED',
    'QUARANTINED',
  ],
  RUNNING: ['QUEUED', 'PENDING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'QUARANTINED'],
  SUCCEEDED: [],
  FAILED: [],
  TIMED_OUT: [],
  CANCELLED: [],
  SKIPPED: [],
  QUARANTINED: [],
};

export const RUN_STATES = [
  'PENDING',
  'RUNNING',
  'PAUSED',
  'SUCCEEDED',
  'PARTIAL',
  'FAILED',
  'CANCELLED',
] as const;
export type RunState = (typeof RUN_STATES)[number];

export const RUN_MOVES: { readonly [S in RunState]: readonly RunState[] } = {
  PENDING: ['RUNNING', 'PAUSED', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED'],
  RUNNING: ['PAUSED', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED'],
  PAUSED: ['PENDING', 'RUNNING', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED'],
  SUCCEEDED: [],
  PARTIAL: [],
  FAILED: [],
  CANCELLED: [],
};

export function isTerminalTask(state: TaskState): boolean {
  return TASK_MOVES[state].length === 0;
}

export function isTerminalRun(state: RunState): boolean {
  return RUN_MOVES[state].length === 0;
}
