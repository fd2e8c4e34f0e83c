import { START_MS } from '../../conformance/memory-target.ts';
import type { ConformanceTarget } from '../../conformance/target.ts';
import { createSqliteStore } from '../create-sqlite-store.ts';
import { temporaryFile } from './temporary-file.ts';

/** A file of its own for every store, gone when the store is closed. */
export const sqliteTarget: ConformanceTarget = {
  name: 'SQLite',
  create: async (options) => {
    const file = temporaryFile();
    let nowMs = START_MS;
    const store = await createSqliteStore({ path: file.path, now: () => nowMs, ...options });
    await store.migrate();
    return {
      store,
      snapshot: () => store.snapshot(),
      setNow: (ms) => {
        nowMs = ms;
      },
      close: async () => {
        await store.close();
        file.remove();
      },
    };
  },
};
