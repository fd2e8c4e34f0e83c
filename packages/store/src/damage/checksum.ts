import { crc32 } from 'node:zlib';

/**
 * A checksum of 32 bits over the columns of a row. Texts and numbers are mixed in here (FNV-1a), because
 * a call of `crc32` costs more than a short text; bytes from this length on are left to `crc32`. Each
 * step maps different sums to different sums, so a change of a single value is always noticed.
 */
const NATIVE_FROM_BYTES = 64;
const PRIME = 0x01000193;
export const START = 0x811c9dc5 | 0;
const HIGH = 4_294_967_296;

export function addNumber(sum: number, value: number): number {
  const low = Math.imul(sum ^ (value | 0), PRIME);
  return Math.imul(low ^ Math.floor(value / HIGH), PRIME);
}

export function addText(sum: number, text: string): number {
  let mixed = Math.imul(sum ^ text.length, PRIME);
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), PRIME);
  return mixed;
}

/** Null and no bytes differ. */
export function addBytes(sum: number, bytes: Uint8Array | null): number {
  if (bytes === null) return Math.imul(sum ^ -1, PRIME);
  let mixed = Math.imul(sum ^ bytes.length, PRIME);
  if (bytes.length >= NATIVE_FROM_BYTES) return Math.imul(mixed ^ crc32(bytes), PRIME);
  for (let i = 0; i < bytes.length; i++) mixed = Math.imul(mixed ^ (bytes[i] as number), PRIME);
  return mixed;
}

export function payloadChecksum(bytes: Uint8Array | null): number {
  return addBytes(START, bytes);
}
