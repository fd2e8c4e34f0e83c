import type { ErrorCode } from '@signalbox/protocol';

/** An error that the caller may see; every other error becomes `internal` and is only logged. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { field?: string; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.field = more.field;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
