import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Store } from '@signalbox/store';

/**
 * Opens the store by its address: `memory:`, `file:PATH` or `postgres://…`. Each kind is loaded only
 * when it is asked for: an embedded node does not need the PostgreSQL client.
 */
export async function openStore(address: string): Promise<Store> {
  if (address === 'memory:') {
    const { createMemoryStore } = await import('@signalbox/store/memory');
    return createMemoryStore({ now: Date.now });
  }
  if (address.startsWith('file:')) {
    const path = filePath(address);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { createSqliteStore } = await import('@signalbox/store/sqlite');
    return createSqliteStore({ path });
  }
  if (isShared(address)) {
    const { createPostgresStore } = await import('@signalbox/store/postgres');
    return createPostgresStore({ url: address });
  }
  // The address may hold a password: only its first word is repeated.
  const [scheme] = address.split(':', 1);
  throw new StoreAddressError(
    `${scheme}: is not a store address; use file:PATH, memory: or postgres://…`,
  );
}

/** The address names no store: a mistake of the caller, not a failure of the store. */
class StoreAddressError extends Error {
  override readonly name = 'StoreAddressError';
  readonly kind = 'address';
}

/** Whether nodes on several machines may be on it at once. */
export function isShared(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

/** The path of a `file:` address, absolute. `file:///a` and `file:/a` mean the same. */
export function filePath(address: string): string {
  const path = address.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '')
    throw new StoreAddressError(
      'the store address file: needs a path, such as file:data/signalbox.db',
    );
  return resolve(path);
}
