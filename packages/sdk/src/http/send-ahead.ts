import { type BlobRef, PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import type { PreparedSubmission } from '../backend.ts';
import { SignalboxError } from '../errors.ts';
import type { HttpClient } from './http-client.ts';

/** What a node takes. It cuts the connection on more, which would look as if it were not there. */
const INPUT_BYTES_MAX = 67_108_864;

/** Sends an input ahead as a blob where it is too large for a body; the submission then names it. */
export async function sendAhead(
  client: HttpClient,
  item: PreparedSubmission,
): Promise<PreparedSubmission> {
  const bytes = largeInput(item);
  if (bytes === null) return item;
  // A second copy of a blob harms nobody: what matters is which one the run names.
  const request = { method: 'PUT', path: '/blobs', body: bytes, repeatable: true } as const;
  const { name } = await client.json<BlobRef>(request);
  const { inputBase64: _, ...head } = item.head;
  return { head: { ...head, inputBlob: name }, input: undefined };
}

function largeInput({ head, input }: PreparedSubmission): Uint8Array | null {
  const encoding = input === undefined ? 'base64' : 'utf8';
  const text = input ?? head.inputBase64;
  if (text === undefined || Buffer.byteLength(text, encoding) <= PAYLOAD_INLINE_MAX) return null;
  const bytes = Buffer.from(text, encoding);
  if (bytes.length <= INPUT_BYTES_MAX) return bytes;
  throw new SignalboxError('too_large', `an input has at most ${INPUT_BYTES_MAX} bytes`);
}
