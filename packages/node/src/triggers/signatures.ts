import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HookStyle } from '@signalbox/protocol';
import { keyOfSecret } from './hook-secret.ts';

export const TOLERANCE_MS = 300_000;
const SIGNATURES_MAX = 8;

export interface Signed {
  readonly style: HookStyle;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  readonly nowMs: number;
  readonly toleranceMs: number;
}

/**
 * Whether the body was signed with the secret, and not too long ago where the style signs a time. Only
 * over the bytes as they came: what a parser makes of them may differ. A wrong signature, a missing one
 * and one of yesterday are answered alike.
 */
export function isSigned(signed: Signed): boolean {
  const key = keyOfSecret(signed.style, signed.secret);
  // Everybody can sign with an empty key, so no signature is better than one that a short key made.
  if (key === null) return false;
  switch (signed.style) {
    case 'github': {
      const given = one(signed, 'x-hub-signature-256');
      if (given === null || !given.startsWith('sha256=')) return false;
      return isMac(macOf(key, [signed.body]), given.slice(7), 'hex');
    }
    case 'stripe': {
      const parts = (one(signed, 'stripe-signature') ?? '').split(',').map((part) => part.trim());
      const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
      if (!isRecent(signed, time)) return false;
      const mac = macOf(key, [`${time}.`, signed.body]);
      const given = parts.filter((part) => part.startsWith('v1=')).slice(0, SIGNATURES_MAX);
      return given.some((part) => isMac(mac, part.slice(3), 'hex'));
    }
    case 'standard': {
      const id = one(signed, 'webhook-id');
      const time = one(signed, 'webhook-timestamp') ?? '';
      if (id === null || !isRecent(signed, time)) return false;
      const mac = macOf(key, [`${id}.${time}.`, signed.body]);
      const given = (one(signed, 'webhook-signature') ?? '').split(' ').slice(0, SIGNATURES_MAX);
      return given.some((part) => part.startsWith('v1,') && isMac(mac, part.slice(3), 'base64'));
    }
  }
}

/** The header in which senders of the style name an event; the body may do so for others. */
export const ID_HEADERS: Readonly<Record<HookStyle, string | null>> = {
  github: 'x-github-delivery',
  stripe: null,
  standard: 'webhook-id',
};

/** A header that came once; twice is as good as none, because two readers would disagree. */
function one({ headers }: Signed, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value.length <= 4_096 ? value : null;
}

/** Old requests can be kept and sent again; their time is signed and cannot be changed. */
function isRecent({ nowMs, toleranceMs }: Signed, seconds: string): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(Number(seconds) * 1_000 - nowMs) <= toleranceMs;
}

function macOf(key: Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** In constant time; lengths are equal by construction, because it throws where they are not. */
function isMac(mac: Buffer, given: string, encoding: 'hex' | 'base64'): boolean {
  const bytes = Buffer.from(given, encoding);
  return bytes.length === mac.length && timingSafeEqual(bytes, mac);
}
