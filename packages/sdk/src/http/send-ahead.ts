import { type BlobRef, PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import type { PreparedSubmission } from '../backend.ts';
import { SignalboxError } from '../errors.ts';
import type { HttpClient } from './http-client.ts';

/** What a node takes. It cuts the connection on more, which would look as if it were not there. */
const INPUT_BYTES_MAX = 67_108_864;

/** Sends inputs ahead as blobs where they are too large for a body; the submissions then name them. */
export async function sendAhead(
  client: HttpClient,
  items: readonly PreparedSubmission[],
): Promise<readonly PreparedSubmission[]> {
  if (!items.some(isLarge)) return items;
  const light: PreparedSubmission[] = [];
  // One after the other: many large inputs at once would fill the node's memory.
  for (const item of items) light.push(isLarge(item) ? await lightened(client, item) : item);
  return light;
}

function isLarge({ input = '' }: PreparedSubmission): boolean {
  // Text has no fewer bytes than characters and at most three for each: only few must be counted.
  if (typeof input === 'string' && input.length * 3 > PAYLOAD_INLINE_MAX) {
    return Buffer.byteLength(input) > PAYLOAD_INLINE_MAX;
  }
  return input.length > PAYLOAD_INLINE_MAX;
}

async function lightened(
  client: HttpClient,
  { head, input = '' }: PreparedSubmission,
): Promise<PreparedSubmission> {
  const body = typeof input === 'string' ? Buffer.from(input) : input;
  if (body.length > INPUT_BYTES_MAX) {
    throw new SignalboxError('too_large', `the input exceeds ${INPUT_BYTES_MAX} bytes`);
  }
  // A second copy of a blob is harmless: the run refers to one of them.
  const request = { method: 'PUT', path: '/blobs', body, repeatable: true } as const;
  const { name } = await client.json<BlobRef>(request);
  return { head: { ...head, inputBlob: name }, input: undefined };
}
