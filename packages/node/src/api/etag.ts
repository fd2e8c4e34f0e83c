import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors/api-error.ts';
import type { Expected } from '../operations/common/expected.ts';

export function tagOf(version: number): string {
  return `"${version}"`;
}

/** `If-Match: "<version>"`, `If-Match: *` for what must be there, `If-None-Match: *` for what must be new. */
export function expectedBy(headers: IncomingHttpHeaders): Expected {
  const match = headers['if-match'];
  const none = headers['if-none-match'];
  if (none !== undefined) {
    if (none.trim() === '*' && match === undefined) return { absent: true };
    throw new ApiError('bad_request', 'must be *, without If-Match', { field: 'If-None-Match' });
  }
  if (match === undefined) return {};
  if (match.trim() === '*') return { present: true };
  const version = /^"(\d{1,15})"$/.exec(match.trim())?.[1];
  if (version !== undefined) return { version: Number(version) };
  throw new ApiError(
    'bad_request',
    'must be * or an ETag from a response of this API, such as "3"',
    { field: 'If-Match' },
  );
}
