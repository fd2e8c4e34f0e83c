/**
 * Why something happened, as stable codes: the same in facts, history, logs and diagnosis.
 * `docs/lifecycle.md` lists them and a test compares.
 */
export const REASONS = {
  // ends of attempts that return the task to its queue; not charged to it
  refused: 'the worker had no room for it',
  not_accepted: 'the worker did not accept it in time',
  never_arrived: 'the worker is here and does not have it',
  drained: 'the worker is being emptied',
  evicted: 'an operator took it off its worker',
  preempted: 'its place was needed for more urgent work',
  // ends of attempts that are charged to the task
  transient: 'a failure that may pass',
  resource: 'it ran out of memory or disk',
  permanent: 'a failure that will not pass',
  worker_lost: 'its worker went silent',
  stuck: 'its progress stood still',
  timeout: 'it ran past its time',
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
