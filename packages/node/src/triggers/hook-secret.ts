import type { HookStyle } from '@signalbox/protocol';
import { SIZES } from '@signalbox/protocol';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Common to all secrets of some senders, so it says nothing about the rest. */
const PREFIX = /^whsec_/;
/**
 * What pages of settings show in place of a secret. A random secret has four times the letter x or eight times
 * the same character in a row once in millions.
 */
const MASK = /…|([*•●∗.])\1{2}|xxxx|XXXX|(.)\2{7}/u;
/** What examples and templates have in place of a secret: `<secret>`, `${SECRET}`, `{{ secret }}`, `[secret]`. */
const PLACEHOLDER = /^(<.*>|\$?\{.*\}|\[.*\])$/u;
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
  const body = secret.replace(PREFIX, '');
  if (PLACEHOLDER.test(body)) return 'is a placeholder; replace it with the secret itself';
  if (MASK.test(body)) return 'is masked; copy the secret itself, not what a page shows for it';
  if (style === 'standard' && secret.startsWith('whsec_') && !BASE64.test(secret.slice(6))) {
    return 'the text after whsec_ must be base64 with padding';
  }
  const key = keyOfSecret(style, secret);
  if (key === null) return `is too short; the key must have at least ${BYTES_MIN} bytes`;
  if (Math.min(new Set(key).size, new Set(body).size) < DISTINCT_MIN) {
    return `is too simple; it needs at least ${DISTINCT_MIN} different characters`;
  }
  return null;
}
