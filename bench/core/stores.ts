import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@signalbox/store';
import { createPostgresStore } from '@signalbox/store/postgres';
import { createSqliteStore } from '@signalbox/store/sqlite';
import { startPostgres } from '../../tools/postgres.ts';

export interface OpenStore {
  readonly store: Store;
  /** Another connection to the same contents, as another node has it. */
  reopen(): Promise<Store>;
  readonly url: string | null;
  close(): Promise<void>;
}

export async function openPostgres(): Promise<OpenStore> {
  const server = await startPostgres({ settings: { max_wal_size: '4GB', shared_buffers: '2GB' } });
  const open = async () => {
    const store = await createPostgresStore({ url: server.url });
    await store.migrate();
    return store;
  };
  const store = await open();
  return {
    store,
    reopen: open,
    url: server.url,
    close: async () => {
      await store.close();
      await server.stop();
    },
  };
}

export async function openSqlite(): Promise<OpenStore> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const open = async () => {
    const store = await createSqliteStore({ path: join(folder, 'signalbox.sqlite') });
    await store.migrate();
    return store;
  };
  const store = await open();
  return {
    store,
    reopen: open,
    url: null,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
