/**
 * Why a task is not running, as stable codes: one per constraint that can bind, each with what would
 * lift it. `docs/diagnosis.md` lists them and a test compares.
 */
export const DIAGNOSIS_REASONS = {
  ENDED: 'the task has ended',
  RUNNING: 'the task is running',
  WAITING_UPSTREAM: 'parent tasks have not ended yet',
  WAITING_UNTIL:
    'the start time of the run, the end of a sleep, or the time of the next attempt has not come yet',
  RUN_PAUSED: 'the run is paused',
  WAITING_CHILDREN: 'children of the fan-out have not ended',
  WAITING_TURN: 'the run is so large that its tasks become ready at a limited rate',
  WAITING_PERSON: 'the task waits for an approval',
  WAITING_EVENT: 'the task waits for an event',
  WAITING_RUN: 'the task waits for a run of another job',
  JOB_PAUSED: 'the task waits for a run of a paused job, which cannot start',
  WORKER_DETACHED: 'the worker of the attempt is disconnected and can still reconnect',
  WORKER_SILENT: 'the worker of the attempt has missed heartbeats',
  STOPPING: 'the attempt was told to stop and is in its grace period',
  WAITING_ACCEPT: 'the attempt is assigned, and the worker has not accepted it yet',
  WAITING_OWNER: 'no node has processed the submission yet',
  STORE_AWAY: 'the store is unavailable, so no task is assigned',
  PAUSED_BY_PRESSURE: 'the store is slow, so no task of this priority is assigned',
  TENANT_OVER_QUOTA: 'the tenant has reached its limit of running attempts',
  NO_WORKER_ATTACHED: 'no worker is attached',
  NO_WORKER_OFFERS: 'no worker has the executor, the labels and the zone that the task requires',
  REQUEST_TOO_LARGE: 'no worker is large enough for the requested resources, even when idle',
  WORKERS_NOT_AVAILABLE: 'the suitable workers accept no new attempts',
  KEPT_APART: 'every suitable worker with free capacity runs a task that antiAffinity excludes',
  NO_WORKER_CAPACITY:
    'the task is next in the queue, and no suitable worker has enough free capacity',
  PRIORITY_QUEUE_WAIT: 'other tasks are ahead in the queue for the same workers',
} as const;

export type DiagnosisReason = keyof typeof DIAGNOSIS_REASONS;

/** What binds, in numbers and in one sentence, and the one change that would lift it. */
export interface Finding {
  readonly reason: DiagnosisReason;
  readonly detail: string;
  readonly suggestion: string;
  readonly numbers: Readonly<Record<string, unknown>>;
}
