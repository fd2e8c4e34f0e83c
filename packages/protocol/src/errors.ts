/** Every error code that the API answers with, and its HTTP status. One word per cause. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  /** The idempotency key belongs to another job or another input, or to a request of other content. */
  idempotency_conflict: 409,
  job_paused: 409,
  not_running: 409,
  /** The tenant has as many definitions of the kind as it may have. */
  quota_exceeded: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  target_not_allowed: 422,
  locked_field: 422,
  invalid_schedule: 422,
  rate_limited: 429,
  overloaded: 429,
  headers_too_large: 431,
  internal: 500,
  /** A stored row that the request needs cannot be read. */
  damaged: 500,
  not_owner: 503,
  unavailable: 503,
  /** It may have happened: ask again with the same idempotency key. */
  unknown: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The one shape of every error answer. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    /** Where in the request, as a path like `tasks[0].retry.attemptsMax`. */
    readonly field?: string;
    readonly requestId: string;
  };
}
