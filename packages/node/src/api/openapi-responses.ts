import { ERROR_STATUS, type ErrorCode } from '@signalbox/protocol';
import { errorCodesOf } from './operation-errors.ts';
import type { Route } from './route.ts';

const text = { type: 'string' } as const;
const REQUEST_ID = {
  description: 'The id of the request, also in the log of the node',
  required: true,
  schema: text,
};
const ETAG = {
  description: 'The version, for `If-Match`',
  required: true,
  schema: { type: 'string', pattern: '^"[0-9]+"$' },
};
const LOCATION = { description: 'The path of the new resource', required: true, schema: text };
const DISPOSITION = {
  description: 'Always `attachment`: browsers must not display the bytes',
  required: true,
  schema: text,
};
const CHALLENGE = { description: 'The scheme of the key', required: true, schema: text };
const RETRY_AFTER = {
  description: 'Seconds after which a retry can succeed',
  schema: { type: 'integer', minimum: 0 },
};
const BYTES = 'application/octet-stream';

const PHRASES: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; the node that owns the job decides',
  204: 'Done',
  503: 'Failed',
};

/** The successful responses of an operation, and its errors as references to `errorComponents`. */
export function responsesOf(route: Route): Record<string, unknown> {
  const responses: Record<string, unknown> = {};
  for (const [status, codes] of byStatus(errorCodesOf(route))) {
    responses[status] = { $ref: `#/components/responses/${componentName(codes)}` };
  }
  for (const [status, schema] of Object.entries(route.response)) {
    responses[status] = {
      description: PHRASES[status] ?? 'Done',
      headers: headersOf(route, Number(status)),
      ...contentOf(route, Number(status), schema),
    };
  }
  return responses;
}

function headersOf(route: Route, status: number): object {
  const isDone = status < 300;
  return {
    'X-Request-Id': REQUEST_ID,
    ...(isDone && route.versioned === true ? { ETag: ETAG } : {}),
    ...(status === 201 && route.location !== undefined ? { Location: LOCATION } : {}),
    ...(route.contentType === BYTES ? { 'Content-Disposition': DISPOSITION } : {}),
  };
}

function contentOf(route: Route, status: number, schema: object | null): object {
  if (schema !== null) return { content: { 'application/json': { schema } } };
  if (status === 204) return {};
  return { content: { [route.contentType ?? BYTES]: { schema: text } } };
}

/** The error responses that the operations refer to: one for each set of codes of one status. */
export function errorComponents(routes: readonly Route[]): Record<string, unknown> {
  const sets = routes.flatMap((route) => [...byStatus(errorCodesOf(route))]);
  return Object.fromEntries(
    sets.map(([status, codes]) => [componentName(codes), errorResponse(status, codes)]),
  );
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const sets = new Map<number, ErrorCode[]>();
  // In the order of the registry, so that equal sets have equal names.
  for (const [code, status] of Object.entries(ERROR_STATUS) as [ErrorCode, number][]) {
    if (codes.includes(code)) sets.set(status, [...(sets.get(status) ?? []), code]);
  }
  return sets;
}

/** `ConflictOrJobPaused` */
function componentName(codes: readonly ErrorCode[]): string {
  const names = codes.map((code) =>
    code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  return names.join('Or');
}

function errorResponse(status: number, codes: readonly ErrorCode[]): unknown {
  return {
    description: `Refused: ${codes.map((code) => `\`${code}\``).join(', ')}`,
    headers: {
      'X-Request-Id': REQUEST_ID,
      ...(status === 401 ? { 'WWW-Authenticate': CHALLENGE } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': RETRY_AFTER } : {}),
    },
    content: { 'application/json': { schema: errorSchema(codes) } },
  };
}

/** The one form of all errors, with some of the codes. */
export function errorSchema(codes: readonly ErrorCode[]): object {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'requestId'],
        properties: {
          code: { type: 'string', enum: codes },
          message: { type: 'string', description: 'For people; may change' },
          field: { type: 'string', description: 'The path of the invalid field in the request' },
          requestId: text,
        },
      },
    },
  };
}
