/**
 * Why a task is not running, as stable codes: one per constraint that can bind, each with what would
 * lift it. `docs/diagnosis.md` lists them and a test compares.
 */
export const DIAGNOSIS_REASONS = {
  ENDED: 'the task has ended',
  RUNNING: 'the task is running',
  WAITING_UPSTREAM: 'tasks upstream have not succeeded yet',
  WAITING_UNTIL: 'the task is not due yet: it has a `runAt`, or waits for its next attempt',
  RUN_PAUSED: 'the run is paused',
  WAITING_CHILDREN: 'children of the fan-out have not ended',
  WAITING_TURN: 'the run is large, and its tasks become ready at a limited rate',
  WAITING_PERSON: 'the task waits for an approval',
  WAITING_EVENT: 'the task waits for an event',
  WAITING_RUN: 'the task waits for a run of another job',
  JOB_PAUSED: 'the task waits for a run that has not started because its job is paused',
  WORKER_DETACHED: 'the worker that holds the attempt is disconnected and may still reconnect',
  WORKER_SILENT: 'the worker that holds the attempt has missed heartbeats',
  STOPPING: 'the attempt was told to stop and is within its grace period',
  WAITING_ACCEPT: 'the attempt is assigned to a worker that has not accepted it yet',
  WAITING_OWNER: 'the owner of the partition has not processed the submission yet',
  PARTITION_STOPPED: 'the facts of the partition cannot be read, so its runs stand still',
  STORE_AWAY: 'the store is unavailable, so nothing is assigned',
  PAUSED_BY_PRESSURE: 'the store is slow, and tasks of this priority are not assigned meanwhile',
  TENANT_OVER_QUOTA: 'the tenant has reached its limit of running attempts',
  NO_WORKER_ATTACHED: 'no worker is attached',
  NO_WORKER_OFFERS: 'no worker has the executor, labels or zone that the task requires',
  REQUEST_TOO_LARGE: 'the task requests more resources than any worker has in total',
  WORKERS_NOT_AVAILABLE: 'every suitable worker is cordoned, draining or unresponsive',
  KEPT_APART: 'every worker with free capacity runs a task that anti-affinity excludes',
  NO_WORKER_CAPACITY:
    'the task is first in the queue, but no suitable worker has enough free capacity',
  PRIORITY_QUEUE_WAIT: 'other tasks are ahead of it in the queue for the same workers',
} as const;

export type DiagnosisReason = keyof typeof DIAGNOSIS_REASONS;

/** What binds, in numbers and in one sentence, and the one change that would lift it. */
export interface Finding {
  readonly reason: DiagnosisReason;
  readonly detail: string;
  readonly suggestion: string;
  readonly numbers: Readonly<Record<string, unknown>>;
}
