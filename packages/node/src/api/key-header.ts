import type { IncomingHttpHeaders } from 'node:http';

/** The key under which the request may be repeated. */
export function keyHeader(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['idempotency-key'];
  return Array.isArray(header) ? header.join() : header;
}
