import type { ErrorCode } from '@signalbox/protocol';
import type { Route } from './route.ts';

/**
 * Every error code that an operation can answer with: those of the gate, of the checks before the handler and
 * of the store follow from the declaration, those of the handler are declared.
 */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const hasKey = route.role !== 'none' && route.role !== 'signed';
  const isChange = route.audit !== undefined || route.submits === true;
  const codes: ErrorCode[] = [
    // An undeclared parameter and a content encoding are refused everywhere.
    'invalid',
    'unsupported_media_type',
    'internal',
    // The HTTP server refuses bytes that are not HTTP, late headers and large ones before a route is known.
    'bad_request',
    'timeout',
    'headers_too_large',
    ...(route.method === 'GET' ? [] : (['too_large'] as const)),
    // What is behind the gate reads the store, whose rows can be damaged.
    ...(hasKey ? KEY_ERRORS : []),
    // Another request can change the same resource; the store's answer to a write can be lost.
    ...(isChange ? (['conflict', 'unknown', 'unavailable'] as const) : []),
    ...(route.reads?.includes('If-Match') ? (['precondition_failed'] as const) : []),
    ...(route.errors ?? []),
  ];
  return [...new Set(codes)];
}

const KEY_ERRORS = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'unavailable',
  'damaged',
] as const satisfies readonly ErrorCode[];
/** Of operations that ask the node which owns a run. */
export const RUN_ERRORS = ['not_found', 'not_owner'] as const satisfies readonly ErrorCode[];
/** Of operations that change a live run. */
export const CHANGE_RUN_ERRORS = [
  ...RUN_ERRORS,
  'not_running',
  'overloaded',
] as const satisfies readonly ErrorCode[];
/** Of operations that submit runs. */
export const SUBMIT_ERRORS = [
  'not_found',
  'idempotency_conflict',
  'job_paused',
  'overloaded',
  'not_owner',
] as const satisfies readonly ErrorCode[];
