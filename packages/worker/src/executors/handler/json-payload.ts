import { copyOfBytes, lostInJson } from '@signalbox/protocol/link';
import { PermanentError } from '../../errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The value where the bytes are JSON, else a copy of the bytes: they may be the node's own memory,
 * and a handler that writes into its input must not change the next attempt's.
 */
export function decodePayload(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return new Uint8Array(bytes);
  }
}

/** Bytes as they are, anything else as JSON; what has no JSON has none the next time either. */
export function encodePayload(value: unknown, complaint: string): Uint8Array {
  // A copy: the handler may use its buffer again while the result waits to be confirmed.
  const bytes = typeof value === 'object' ? copyOfBytes(value) : null;
  if (bytes !== null) return bytes;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new PermanentError(complaint, { cause });
  }
  if (text === undefined) throw new PermanentError(complaint);
  const lost = lostInJson(value, text, 'the value');
  if (lost !== null) {
    throw new PermanentError(
      `${complaint}: ${lost.path} is a ${lost.type}; use an array or an object`,
    );
  }
  return utf8(text);
}

/**
 * From the pool of `Buffer`, which costs a small part of a buffer of its own; not as a `Buffer`,
 * whose `slice` shares memory where that of other bytes copies.
 */
function utf8(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text);
  return new Uint8Array(buffer, byteOffset, length);
}
