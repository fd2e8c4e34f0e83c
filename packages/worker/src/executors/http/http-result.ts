import type { Result } from '../../executor.ts';
import type { Body } from './read-body.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

const KEPT_HEADERS: readonly string[] = [
  'content-type',
  'content-length',
  'content-encoding',
  'date',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'server',
  'request-id',
  'x-request-id',
];
const HEADER_CHARACTERS_MAX = 1_000;
const RETRY_AFTER_MS_MAX = 86_400_000;

/** 2xx succeeded; 408, 429 and 5xx may be better later; anything else will be the same again. */
export function resultOf(answer: Answer, nowMs: number): Result {
  const { status } = answer;
  if (isSuccess(answer)) {
    return { kind: 'succeeded', output: new TextEncoder().encode(describeAnswer(answer)) };
  }
  const error = `http_${status}: the endpoint returned ${status}`;
  if (status !== 408 && status !== 429 && status < 500) {
    return { kind: 'failed', error, class: 'permanent', output: null };
  }
  const retryAfterMs = retryAfter(answer, nowMs);
  const later = retryAfterMs === null ? {} : { retryAfterMs };
  return { kind: 'failed', error, class: 'transient', ...later, output: null };
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Status, some headers and the beginning of the body, as JSON. */
export function describeAnswer({ status, headers, body }: Answer): string {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = header(headers, name);
    if (value !== undefined) kept[name] = value.slice(0, HEADER_CHARACTERS_MAX);
  }
  return JSON.stringify({
    status,
    headers: kept,
    body: body.text,
    bodyBytes: body.bytes,
    ...(body.isCut ? { bodyCut: true } : {}),
  });
}

/** Seconds, or a date: read against the date of the answer, because the clocks may differ. */
function retryAfter({ headers }: Answer, nowMs: number): number | null {
  const value = header(headers, 'retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, RETRY_AFTER_MS_MAX);
  const atMs = Date.parse(value);
  if (Number.isNaN(atMs) || !value.includes(':')) return null;
  const theirNowMs = Date.parse(header(headers, 'date') ?? '');
  const waitMs = atMs - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}

export function header(headers: Answer['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
