import { copyOfBytes, lostInJson, refusedByJson } from '@signalbox/protocol/link';
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

/**
 * Bytes as they are, anything else as JSON. A value without JSON, or that JSON would change, has none the next time
 * either. `name` is what errors call it: `output`.
 */
export function encodePayload(value: unknown, name: string): Uint8Array {
  // A copy: the handler may use its buffer again while the result waits to be confirmed.
  const bytes = typeof value === 'object' ? copyOfBytes(value) : null;
  if (bytes !== null) return bytes;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    const refused = refusedByJson(value, name);
    const message =
      refused === null
        ? `the ${name} cannot be written as JSON`
        : `${refused.path} is ${refused.what}, which JSON cannot represent`;
    throw new PermanentError(message, { cause });
  }
  if (text === undefined) throw new PermanentError(`the ${name} cannot be written as JSON`);
  const lost = lostInJson(value, text, name);
  if (lost === null) return utf8(text);
  const isValue = lost.isNumber || lost.what === 'a function' || lost.what === 'a symbol';
  const advice = isValue ? '' : '; use an array or an object';
  throw new PermanentError(`${lost.path} is ${lost.what}, which JSON cannot represent${advice}`);
}

/**
 * From the pool of `Buffer`, which costs a small part of a buffer of its own; not as a `Buffer`,
 * whose `slice` shares memory where that of other bytes copies.
 */
function utf8(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text);
  return new Uint8Array(buffer, byteOffset, length);
}
