import { DatabaseSync } from 'node:sqlite';
import { damageSuite } from '../conformance/damage-suite.ts';
import { createSqliteStore } from './create-sqlite-store.ts';
import { temporaryFile } from './testing/temporary-file.ts';

const SEGMENTED = new Set(['runs', 'ends', 'parked', 'groups']);

damageSuite({
  name: 'SQLite',
  open: async () => {
    const { path, remove } = temporaryFile();
    const create = async () => {
      const store = await createSqliteStore({ path });
      await store.migrate();
      return store;
    };
    const store = await create();
    const others: { close(): Promise<void> }[] = [];
    const raw = new DatabaseSync(path);
    return {
      store,
      reopen: async () => {
        const other = await create();
        others.push(other);
        return other;
      },
      execute: async (sql) => raw.exec(sql),
      table: async (family) => {
        if (!SEGMENTED.has(family)) return family;
        const query = raw.prepare("select name from sqlite_master where name glob ? || '_[0-9]*'");
        return (query.get(family) as { name: string }).name;
      },
      literal: (value) =>
        typeof value === 'string' ? `'${value}'` : `x'${Buffer.from(value).toString('hex')}'`,
      close: async () => {
        for (const each of [store, ...others]) await each.close();
        raw.close();
        remove();
      },
    };
  },
});
