import type { Answer } from '@signalbox/engine';
import { ApiError } from './api-error.ts';

/** A refusal of the engine as an error of the API. */
export function refusal(answer: Answer & { kind: 'refused' }): ApiError {
  const { code, message } = answer;
  switch (code) {
    case 'overloaded':
    case 'unavailable':
    case 'not_owner':
      return new ApiError(code, message, { retryAfterSeconds: 1 });
    case 'unknown':
    case 'damaged':
    case 'not_found':
    case 'invalid':
      return new ApiError(code, message);
    case 'key_reserved':
      return new ApiError('idempotency_conflict', message, { field: 'idempotencyKey' });
  }
}

/**
 * A part of a request was created before another part failed. Repeating the request without its key would create
 * that part twice.
 */
export function mayBeDone(error: unknown): ApiError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return new ApiError('unknown', `part of the batch was accepted before this error: ${message}`);
}

export function otherBatch(): ApiError {
  return new ApiError('idempotency_conflict', 'the idempotency key belongs to another batch', {
    field: 'idempotencyKey',
  });
}

/** The same text for a missing run and a run of another tenant, so that the two are indistinguishable. */
export function noRun(id: string): ApiError {
  return new ApiError('not_found', `there is no run with the id ${shown(id)}`);
}

export function noJob(job: string, about: { field?: string } = {}): ApiError {
  return new ApiError('not_found', `there is no job ${shown(job)}`, about);
}

/** Truncates text of the caller before it appears in a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}

export function invalid(field: string, message: string): ApiError {
  return new ApiError('invalid', message, field === '' ? {} : { field });
}
