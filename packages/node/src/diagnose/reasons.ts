/**
 * Why a task is not running, as stable codes: one per constraint that can bind, each with what would
 * lift it. `docs/diagnosis.md` lists them and a test compares.
 */
export const DIAGNOSIS_REASONS = {
  ENDED: 'it has ended',
  RUNNING: 'it is running',
  WAITING_UPSTREAM: 'tasks that it waits for have not succeeded yet',
  WAITING_UNTIL: 'its time has not come: a due time, or the pause before the next attempt',
  RUN_PAUSED: 'its run is paused',
  WAITING_CHILDREN: 'it stands for children that have not ended',
  WAITING_TURN: 'its run is so large that its tasks are handed out at a pace',
  WAITING_PERSON: 'somebody has to approve it',
  WAITING_EVENT: 'an event has to come',
  WAITING_RUN: 'a run of another job has to end',
  JOB_PAUSED: 'the job whose run it waits for is paused, and that run has not begun',
  WORKER_DETACHED: 'the worker that has it is not connected, and has a moment to come back',
  WORKER_SILENT: 'the worker that has it has missed heartbeats',
  STOPPING: 'its attempt has been told to stop and has a moment to do so',
  WAITING_ACCEPT: 'it has been given to a worker that has not accepted it yet',
  WAITING_OWNER: 'no node has taken the submission in yet',
  STORE_AWAY: 'the store cannot be reached, so nothing is handed out',
  PAUSED_BY_PRESSURE: 'the store is slow, so its priority gets no new assignments',
  TENANT_OVER_QUOTA: 'its tenant runs as many attempts as it may',
  NO_WORKER_ATTACHED: 'no worker is attached',
  NO_WORKER_OFFERS: 'no worker has the executor, the labels or the zone that it asks for',
  REQUEST_TOO_LARGE: 'no worker is large enough for what it asks for, even if it were empty',
  WORKERS_NOT_AVAILABLE: 'the workers that could run it take nothing new',
  KEPT_APART: 'on every worker with room runs something that it must be kept apart from',
  NO_WORKER_CAPACITY: 'it is next in line, and no worker that could run it has enough free',
  PRIORITY_QUEUE_WAIT: 'others are before it in line for the same workers',
} as const;

export type DiagnosisReason = keyof typeof DIAGNOSIS_REASONS;

/** What binds, in numbers and in one sentence, and the one change that would lift it. */
export interface Finding {
  readonly reason: DiagnosisReason;
  readonly detail: string;
  readonly suggestion: string;
  readonly numbers: Readonly<Record<string, unknown>>;
}
