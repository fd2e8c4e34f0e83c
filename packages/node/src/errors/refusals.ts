import type { Answer } from '@signalbox/engine';
import { ApiError } from './api-error.ts';

/** What the engine refused, as the caller is told. */
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
 * A part of a request was made before another failed: whoever sends it again without its key would
 * make that part twice.
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

/** The same words for an absent run and another tenant's: nobody learns which it was. */
export function noRun(id: string): ApiError {
  return new ApiError('not_found', `there is no run with the id ${shown(id)}`);
}

export function noJob(job: string, about: { field?: string } = {}): ApiError {
  return new ApiError('not_found', `there is no job ${shown(job)}`, about);
}

/** Hostile text is cut before it is said back. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}

export function invalid(field: string, message: string): ApiError {
  return new ApiError('invalid', message, field === '' ? {} : { field });
}
