import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../context.ts';

/** What the caller says about the version that it saw. */
export type Expected =
  | { readonly kind: 'any' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  | { readonly kind: 'version'; readonly version: number };

export function tagOf(version: number): string {
  return `"${version}"`;
}

/** `If-Match: "<version>"`, `If-Match: *` for what must be there, `If-None-Match: *` for what must be new. */
export function expectedVersion(headers: IncomingHttpHeaders): Expected {
  const match = headers['if-match'];
  const none = headers['if-none-match'];
  if (none !== undefined) {
    if (none.trim() === '*' && match === undefined) return { kind: 'absent' };
    throw new ApiError('bad_request', 'must be *, without If-Match', { field: 'If-None-Match' });
  }
  if (match === undefined) return { kind: 'any' };
  if (match.trim() === '*') return { kind: 'present' };
  const version = /^"(\d{1,15})"$/.exec(match.trim())?.[1];
  if (version !== undefined) return { kind: 'version', version: Number(version) };
  throw new ApiError(
    'bad_request',
    'must be * or an ETag from a response of this API, such as "3"',
    { field: 'If-Match' },
  );
}

/** As operations want it. */
export function expectedBy(headers: IncomingHttpHeaders): {
  version?: number;
  absent?: boolean;
  present?: boolean;
} {
  const expected = expectedVersion(headers);
  switch (expected.kind) {
    case 'any':
      return {};
    case 'absent':
      return { absent: true };
    case 'present':
      return { present: true };
    case 'version':
      return { version: expected.version };
  }
}
