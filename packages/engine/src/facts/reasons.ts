/**
 * Why something happened, as stable codes: the same in facts, history, logs and diagnosis.
 * `docs/lifecycle.md` lists them and a test compares.
 */
export const REASONS = {
  // ends of attempts that return the task to its queue; not charged to it
  refused: 'the worker had no free capacity for the task',
  not_accepted: 'the worker did not accept the attempt in time',
  never_arrived: 'the worker is connected and does not have the attempt',
  drained: 'the worker is being drained',
  evicted: 'an operator evicted the worker',
  preempted: 'a task of a higher priority needed the capacity',
  // ends of attempts that are charged to the task
  transient: 'a temporary failure',
  resource: 'the attempt ran out of memory or disk',
  permanent: 'a failure that a retry cannot solve',
  worker_lost: 'the worker stopped sending heartbeats',
  stuck: 'the attempt made no progress for too long',
  timeout: 'the attempt exceeded its timeout',
  // ends of tasks
  succeeded: 'it finished',
  cancelled: 'it was cancelled',
  upstream_failed: 'a task that it waits for did not succeed',
  condition: 'its condition is false',
  invalid_condition: 'its condition cannot be evaluated',
  parent_skipped: 'a task that it waits for was skipped',
  children_failed: 'some of its children did not succeed',
  rejected: 'a person said no',
  nested_failed: 'the run that it stands for did not succeed',
  nested_rejected: 'an approval of the run that it stands for was not given',
} as const;
export type Reason = keyof typeof REASONS;

/** Classes of failure that a worker may state; anything else is classified by `complete/classify.ts`. */
export const FAILURE_CLASSES = ['transient', 'permanent', 'resource'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];
