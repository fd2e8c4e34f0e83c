/** Rules for bodies that their schemas cannot express, as the API document lists them. */

export const JOB_RULES = [
  'Names of tasks are unique, `after` names other tasks of the job, and the graph has no cycle.',
  'A task has at most one kind of work; fields for workers are refused on tasks that no worker runs.',
  'A `sleep` has either `for` or `until`; the `maxDelay` of a back-off is not shorter than its `delay`.',
  'The URL of an `http` task must be allowed by the node: otherwise `target_not_allowed`.',
  'Expressions are checked: one that does not compile is refused with its position.',
] as const;

export const SUBMISSION_RULES = [
  'At most one of `input`, `inputBase64` and `inputBlob`; `inputBase64` is valid Base64, and the blob exists.',
  'Either `runAt` or `delay`, not both.',
  'The job exists and is not paused.',
] as const;

export const SCHEDULE_RULES = [
  'The job exists. A named calendar exists.',
  'The expression and the time zone are valid, and the expression has at least one window.',
] as const;

export const TRIGGER_RULES = [
  'The job exists. A tenant has a limited number of triggers.',
  'Expressions are checked: one that does not compile is refused with its position.',
] as const;

export const BULK_RULES = [
  '`filter` has at least one field, and `filter.state` is a state that the request can change.',
] as const;
