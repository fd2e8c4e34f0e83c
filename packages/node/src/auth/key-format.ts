import crypto, { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `sbx_<id>_<secret><checksum>`: the prefix and the checksum let a secret scanner tell a key from
 * noise, and let the node drop a mistyped one without asking the store.
 */
const SHAPE = /^sbx_([0-9a-f]{16})_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

export interface ParsedKey {
  readonly id: string;
  readonly secret: string;
}

export function makeKey(): ParsedKey & { readonly text: string } {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, secret, text: `sbx_${id}_${secret}${checksum(id, secret)}` };
}

export function parseKey(text: string): ParsedKey | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const [, id, secret, sum] = match as unknown as [string, string, string, string];
  return sum === checksum(id, secret) ? { id, secret } : null;
}

/** What is kept: the secret is 32 random bytes, so a plain digest cannot be searched. */
export function digestOf(secret: string): Buffer {
  return crypto.hash('sha256', secret, 'buffer');
}

function checksum(id: string, secret: string): string {
  return crc32(`sbx_${id}_${secret}`).toString(16).padStart(8, '0');
}
