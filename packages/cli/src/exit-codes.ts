import type { ErrorCode } from '@signalbox/protocol';

/** What the command ends with. Scripts rely on them: a number never changes its meaning. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'success' },
  no: {
    code: 1,
    meaning:
      'negative result: the run did not end as SUCCEEDED, `diff` found differences, `triggers test` would start no run, `runs cancel` or `runs retry` could not change every run, `doctor` found something that needs attention, or a confirmation was declined',
  },
  usage: { code: 2, meaning: 'invalid arguments, settings or input; nothing was done' },
  notFound: { code: 3, meaning: 'the job, run, task, worker, tenant or key does not exist' },
  notAllowed: {
    code: 4,
    meaning: 'the key is missing or wrong, or its role does not allow the request',
  },
  unreachable: { code: 5, meaning: 'no node is reachable at the address, or it is unavailable' },
  conflict: {
    code: 6,
    meaning:
      'conflict: paused, ended, changed meanwhile, or a port, file or folder is used by another process',
  },
  waitOver: { code: 7, meaning: 'the wait timed out; the run continues' },
  busy: { code: 8, meaning: 'rate limited or overloaded: try again later' },
  internal: { code: 70, meaning: 'a bug in Signalbox' },
  interrupted: { code: 130, meaning: 'interrupted by Ctrl-C' },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

const BY_ERROR: Readonly<Record<ErrorCode, ExitName>> = {
  bad_request: 'usage',
  unauthenticated: 'notAllowed',
  forbidden: 'notAllowed',
  not_found: 'notFound',
  method_not_allowed: 'internal',
  timeout: 'unreachable',
  conflict: 'conflict',
  idempotency_conflict: 'conflict',
  job_paused: 'conflict',
  quota_exceeded: 'conflict',
  not_running: 'conflict',
  precondition_failed: 'conflict',
  too_large: 'usage',
  unsupported_media_type: 'internal',
  invalid: 'usage',
  target_not_allowed: 'usage',
  locked_field: 'usage',
  invalid_schedule: 'usage',
  rate_limited: 'busy',
  overloaded: 'busy',
  headers_too_large: 'usage',
  internal: 'internal',
  damaged: 'conflict',
  not_owner: 'unreachable',
  unavailable: 'unreachable',
  unknown: 'unreachable',
};

/** A newer node may know errors that this command does not. */
export function exitOf(error: string): ExitName {
  return Object.hasOwn(BY_ERROR, error) ? BY_ERROR[error as ErrorCode] : 'internal';
}
