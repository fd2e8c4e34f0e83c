import { BATCH_MAX } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';

/** A node takes bodies of up to 1 MiB. */
const BATCH_BYTES_MAX = 786_432;

/**
 * How many of those that wait go into one request: not too many bytes either, so that few wait for
 * one that is large.
 */
export function batchLength(waiting: number, itemAt: (i: number) => PreparedSubmission): number {
  const most = Math.min(waiting, BATCH_MAX);
  let bytes = 0;
  for (let i = 0; i < most; i++) {
    bytes += sizeOf(itemAt(i));
    if (bytes > BATCH_BYTES_MAX) return Math.max(1, i);
  }
  return most;
}

/** About what it takes in the body; what is the same for all of a batch is in there only once. */
function sizeOf({
  head: { idempotencyKey: key = '', uniqueKey: unique = '' },
  input = '',
}: PreparedSubmission): number {
  const inputBytes = typeof input === 'string' ? Buffer.byteLength(input) : input.length;
  return inputBytes + 3 * (key.length + unique.length);
}
