import type { PreparedSubmission } from '../backend.ts';
import { BATCH_BYTES_MAX } from '../submission-size.ts';

export interface SubmissionChunk {
  readonly body: string;
  readonly single: boolean;
}

/** Cuts a batch into requests of a size that nodes take; large inputs have gone ahead by now. Every input is put into text only once. */
export function* submissionChunks(
  items: readonly PreparedSubmission[],
): Generator<SubmissionChunk> {
  let texts: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const text = textOf(item);
    const size = Buffer.byteLength(text);
    if (texts.length > 0 && bytes + size > BATCH_BYTES_MAX) {
      yield chunkOf(texts);
      texts = [];
      bytes = 0;
    }
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) yield chunkOf(texts);
}

function chunkOf(texts: readonly string[]): SubmissionChunk {
  if (texts.length === 1) return { body: texts[0] as string, single: true };
  return { body: `{"items":[${texts.join(',')}]}`, single: false };
}

function textOf({ head, input }: PreparedSubmission): string {
  const text = JSON.stringify(head);
  return input === undefined ? text : `${text.slice(0, -1)},"input":${input}}`;
}
