import type { Store } from '@signalbox/store';
import { createPostgresStore } from '@signalbox/store/postgres';
import { createSqliteStore } from '@signalbox/store/sqlite';

/** The store itself, without a node. */
export async function openStore(address: string): Promise<Store> {
  const store = address.startsWith('file:')
    ? await createSqliteStore({ path: address.slice('file:'.length) })
    : await createPostgresStore({ url: address });
  await store.migrate();
  return store;
}
