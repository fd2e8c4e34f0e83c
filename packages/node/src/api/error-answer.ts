import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@signalbox/protocol';
import { StoreError } from '@signalbox/store';
import { ApiError } from '../errors/api-error.ts';
import { asApiError } from '../operations/common/operation.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterSeconds: number | undefined;
  /** Nobody foresaw it: it belongs in the log, with its stack. */
  readonly unforeseen: boolean;
}

/** The one place where something thrown becomes an answer. What is not foreseen says nothing of itself. */
export function answerOf(thrown: unknown, requestId: string): ErrorAnswer {
  const error = toApiError(thrown);
  const field = error.field === undefined ? {} : { field: error.field };
  return {
    status: ERROR_STATUS[error.code],
    body: { error: { code: error.code, message: error.message, ...field, requestId } },
    retryAfterSeconds: error.retryAfterSeconds,
    unforeseen: error.code === 'internal' || thrown instanceof StoreError,
  };
}

function toApiError(thrown: unknown): ApiError {
  const known = asApiError(thrown);
  if (known instanceof ApiError) return known;
  const code = ofFastify(thrown);
  if (code !== null) return new ApiError(code, MESSAGES[code]);
  return new ApiError('internal', 'internal error; search the log of the node for this request id');
}

type TransportCode =
  | 'bad_request'
  | 'method_not_allowed'
  | 'timeout'
  | 'too_large'
  | 'headers_too_large'
  | 'unsupported_media_type';

export const MESSAGES: Readonly<Record<TransportCode, string>> = {
  bad_request: 'the request is malformed',
  method_not_allowed: 'this path does not support this method; the Allow header lists the methods',
  timeout: 'the request did not arrive in time',
  too_large: 'the body exceeds the size limit of this request',
  headers_too_large: 'the request headers exceed 16 KiB; send fewer or shorter headers',
  unsupported_media_type:
    'unsupported content type or encoding; send application/json without Content-Encoding',
};

const BY_STATUS: Readonly<Record<number, TransportCode>> = {
  400: 'bad_request',
  405: 'method_not_allowed',
  408: 'timeout',
  413: 'too_large',
  415: 'unsupported_media_type',
};

/** Errors of the HTTP server itself carry a status and a code of its own. */
function ofFastify(thrown: unknown): TransportCode | null {
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || typeof statusCode !== 'number') return null;
  if (!code.startsWith('FST_ERR')) return null;
  return BY_STATUS[statusCode] ?? (statusCode < 500 ? 'bad_request' : null);
}

export function errorText(code: ErrorCode, message: string, requestId: string): string {
  return JSON.stringify({ error: { code, message, requestId } } satisfies ErrorBody);
}
