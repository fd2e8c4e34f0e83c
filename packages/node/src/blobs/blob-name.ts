import { createHash } from 'node:crypto';

const NAME = /^[0-9a-f]{64}$/;

/** Names are digests; anything else never reaches a path (h35). */
export function isBlobName(name: string): boolean {
  return NAME.test(name);
}

/** Of a tenant. A digest, because the name of a tenant is a caller's text, and paths fold case on some disks. */
export function folderOf(tenant: string): string {
  return createHash('sha256').update(tenant).digest('hex').slice(0, 32);
}
