import { encodeBatch, type SubmissionHead } from '@signalbox/protocol';
import type { PreparedSubmission } from '../backend.ts';

/** Submissions as the body of one request: a header, then their inputs. */
export function encodeSubmissions(items: readonly PreparedSubmission[]): Uint8Array {
  const { shared, isAll } = sharedHead(items);
  const lengths: (number | null)[] = [];
  const inputs: Buffer[] = [];
  // Texts that follow each other are encoded in one go: most batches have nothing else.
  let texts = '';
  const flush = (): void => {
    if (texts !== '') inputs.push(Buffer.from(texts));
    texts = '';
  };
  for (const { input } of items) {
    if (input === undefined) lengths.push(null);
    else if (typeof input === 'string') {
      lengths.push(Buffer.byteLength(input));
      texts += input;
    } else {
      lengths.push(input.length);
      flush();
      inputs.push(Buffer.from(input.buffer, input.byteOffset, input.length));
    }
  }
  flush();
  const own = isAll ? {} : { items: items.map(({ head }) => without(head, shared)) };
  const bytes = inputs.length === 1 ? (inputs[0] as Buffer) : Buffer.concat(inputs);
  return encodeBatch({ shared, ...own, inputs: lengths }, bytes);
}

/** What all of them say, and whether that is all they say. */
function sharedHead(items: readonly PreparedSubmission[]): {
  shared: SubmissionHead;
  isAll: boolean;
} {
  const shared = { ...items[0]?.head } as Record<string, unknown>;
  let isAll = true;
  for (const { head } of items) {
    for (const field in shared) {
      if (head[field as keyof typeof head] === shared[field]) continue;
      delete shared[field];
      isAll = false;
    }
    for (const field in head) if (!Object.hasOwn(shared, field)) isAll = false;
  }
  return { shared, isAll };
}

function without(head: SubmissionHead, shared: SubmissionHead): SubmissionHead {
  return Object.fromEntries(
    Object.entries(head).filter(([field]) => !Object.hasOwn(shared, field)),
  );
}
