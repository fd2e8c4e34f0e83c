import type { PreparedSubmission } from './backend.ts';

/** What the inputs of one request may have together: a node takes bodies of up to 1 MiB. */
export const BATCH_BYTES_MAX = 786_432;

/** Bytes of the input as it stands in a body. */
export function inputSize({ head, input }: PreparedSubmission): number {
  if (input !== undefined) return Buffer.byteLength(input);
  return head.inputBase64?.length ?? 0;
}
