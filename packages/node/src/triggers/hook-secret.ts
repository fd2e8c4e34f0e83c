import type { HookStyle } from '@signalbox/protocol';
import { SIZES } from '@signalbox/protocol';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** What pages of settings show in place of a secret. */
const MASK = /([*•●∗…])\1{2}/u;
const DISTINCT_MIN = 5;
const { min: BYTES_MIN } = SIZES['hook.secretBytes'];

/** The bytes that sign for a secret; null for a secret that a style cannot use. */
export function keyOfSecret(style: HookStyle, secret: string): Uint8Array | null {
  const isEncoded = style === 'standard' && secret.startsWith('whsec_');
  const base64 = secret.slice('whsec_'.length);
  // A decoder that skips other characters would return a short key, or the empty one.
  if (isEncoded && !BASE64.test(base64)) return null;
  const key = isEncoded ? Buffer.from(base64, 'base64') : Buffer.from(secret);
  return key.length >= BYTES_MIN ? key : null;
}

/** Why a secret cannot be saved; null if it can. */
export function secretProblem(style: HookStyle, secret: string): string | null {
  if (!secret.isWellFormed() || /\p{Cc}/u.test(secret)) {
    return 'contains a control character or a lone surrogate';
  }
  if (secret !== secret.trim()) return 'starts or ends with a space';
  if (MASK.test(secret)) return 'is masked; copy the secret itself, not what a page shows for it';
  if (style === 'standard' && secret.startsWith('whsec_') && !BASE64.test(secret.slice(6))) {
    return 'the text after whsec_ must be base64 with padding';
  }
  const key = keyOfSecret(style, secret);
  if (key === null) return `is too short; the key must have at least ${BYTES_MIN} bytes`;
  if (new Set(key).size < DISTINCT_MIN) {
    return `is too simple; it needs at least ${DISTINCT_MIN} different characters`;
  }
  return null;
}
