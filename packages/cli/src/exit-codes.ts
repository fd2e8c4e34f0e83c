import type { ErrorCode } from '@signalbox/protocol';

/** What the command ends with. Scripts rely on them: a number never changes its meaning. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done' },
  no: {
    code: 1,
    meaning:
      'no: the run did not end as SUCCEEDED, `diff` found differences, `triggers test` starts nothing, `runs cancel` or `runs retry` could not change every run, or you said no to a question',
  },
  usage: { code: 2, meaning: 'wrong arguments, settings or input; nothing was done' },
  notFound: { code: 3, meaning: 'there is no such job, run, task, worker, tenant or key' },
  notAllowed: { code: 4, meaning: 'no key, a wrong key, or a key whose role may not do this' },
  unreachable: { code: 5, meaning: 'no node answered at the address, or it could not serve now' },
  conflict: {
    code: 6,
    meaning:
      'the state does not allow it: paused, ended, changed meanwhile, or a port, file or folder that another process uses',
  },
  waitOver: { code: 7, meaning: 'the time to wait is over; the run goes on' },
  busy: { code: 8, meaning: 'too much at once: try again later' },
  internal: { code: 70, meaning: 'a defect of Signalbox' },
  interrupted: { code: 130, meaning: 'stopped by Ctrl-C' },
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
  not_running: 'conflict',
  precondition_failed: 'conflict',
  too_large: 'usage',
  unsupported_media_type: 'internal',
  invalid: 'usage',
  target_not_allowed: 'usage',
  locked_field: 'usage',
  rate_limited: 'busy',
  overloaded: 'busy',
  internal: 'internal',
  not_owner: 'unreachable',
  unavailable: 'unreachable',
  unknown: 'unreachable',
};

/** A newer node may know errors that this command does not. */
export function exitOf(error: string): ExitName {
  return Object.hasOwn(BY_ERROR, error) ? BY_ERROR[error as ErrorCode] : 'internal';
}
