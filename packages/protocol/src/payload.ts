/** Inputs and outputs above this many bytes travel and rest outside the journal. */
export const PAYLOAD_INLINE_MAX = 262_144;

/** Stands in the journal for a payload in the blob store. */
export interface BlobRef {
  /** Opaque; made by the blob store. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const MAGIC = new TextEncoder().encode('\u0000signalbox-blob\u0000');

/**
 * The bytes that are stored in place of the payload. Any byte string is a valid payload, also one that looks
 * like a reference: such a payload is stored as a blob whatever its size (`looksLikeBlobRef`), so that bytes
 * that look like a reference always are one.
 */
export function encodeBlobRef(ref: BlobRef): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify([ref.name, ref.bytes, ref.sha256]));
  const bytes = new Uint8Array(MAGIC.length + body.length);
  bytes.set(MAGIC);
  bytes.set(body, MAGIC.length);
  return bytes;
}

export function looksLikeBlobRef(payload: Uint8Array): boolean {
  if (payload.length < MAGIC.length) return false;
  return MAGIC.every((byte, i) => payload[i] === byte);
}

export function decodeBlobRef(payload: Uint8Array): BlobRef | null {
  if (!looksLikeBlobRef(payload)) return null;
  const text = new TextDecoder().decode(payload.subarray(MAGIC.length));
  const [name, bytes, sha256] = JSON.parse(text) as [string, number, string];
  return { name, bytes, sha256 };
}

/** What is stored as it is, and not as JSON: JSON would make an empty object of an `ArrayBuffer`. */
export type Bytes = Uint8Array | Uint8ClampedArray | ArrayBuffer | DataView;

/** A copy of the bytes, which the caller may go on writing into; null for every other value. */
export function copyOfBytes(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (!(value instanceof DataView || value instanceof Uint8ClampedArray)) return null;
  const { buffer, byteOffset, byteLength } = value;
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}
