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
  succeeded: 'the task succeeded',
  cancelled: 'the task was cancelled',
  upstream_failed: 'a parent task did not succeed',
  condition: 'the condition of the task is false',
  invalid_condition: 'the condition of the task cannot be evaluated',
  parent_skipped: 'a parent task was skipped',
  children_failed: 'some children of the fan-out did not succeed',
  rejected: 'the approval was rejected',
  nested_failed: 'the nested run did not succeed',
  nested_rejected: 'an approval in the nested run was rejected or timed out',
} as const;
export type Reason = keyof typeof REASONS;

/** Classes of failure that a worker may state; anything else is classified by `complete/classify.ts`. */
export const FAILURE_CLASSES = ['transient', 'permanent', 'resource'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];
