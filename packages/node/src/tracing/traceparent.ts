import { randomBytes } from 'node:crypto';

/** The W3C header `traceparent`, read. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Null for everything that is not one: a bad header starts no trace and refuses no request. */
export function parseTraceparent(text: string | undefined): TraceParent | null {
  const match = FORM.exec(text ?? '');
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  // A later version may say more behind the four fields; version 00 may not.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The begin of a trace of its own. */
export function newTraceparent(): string {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return formatTraceparent({ traceId, spanId, sampled: true });
}
