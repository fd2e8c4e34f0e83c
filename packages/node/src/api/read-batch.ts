import { BatchHeader, PayloadPages, splitBatch } from '@signalbox/protocol';
import { ApiError } from '../errors/api-error.ts';
import { parseJson } from '../json/parse-json.ts';
import type { SubmitItem } from '../operations/runs/submission.ts';
import { checkOf } from './validate.ts';

const checkHeader = checkOf(BatchHeader, 'body');

/**
 * The submissions of a batch whose inputs came as bytes. What is said about them is checked as in
 * any body; the inputs are opaque, only their lengths must be true.
 */
export async function readBatch(body: Uint8Array): Promise<SubmitItem[]> {
  const parts = splitBatch(body);
  if (parts === null) throw new ApiError('bad_request', 'the body is shorter than its header');
  const header = parseJson(parts.header);
  await checkHeader(header);
  const { shared, items, inputs: lengths } = header as BatchHeader;
  if (items !== undefined && items.length !== lengths.length) {
    throw new ApiError('invalid', 'items and inputs must have the same length', {
      field: 'inputs',
    });
  }
  // Before anything is copied: lengths that lie must not cost memory.
  let total = 0;
  for (const length of lengths) total += length ?? 0;
  if (total !== parts.inputs.length) {
    throw new ApiError(
      'bad_request',
      'the sum of the input lengths does not match the length of the body',
    );
  }
  const pages = new PayloadPages();
  let at = 0;
  return lengths.map((length, i) => {
    // That a job is named is checked where every submission is.
    const head = (items === undefined ? shared : { ...shared, ...items[i] }) as SubmitItem;
    if (length === null) return head;
    const start = at;
    at += length;
    return { ...head, inputBytes: pages.copy(parts.inputs.subarray(start, at)) };
  });
}
