import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { damageSuite } from '../conformance/damage-suite.ts';
import { execute, openStore } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';

describePostgres('damaged rows', () => {
  damageSuite({
    name: 'PostgreSQL',
    open: async () => {
      const store = await openStore({ url });
      const others: { close(): Promise<void> }[] = [];
      return {
        store,
        reopen: async () => {
          const other = await openStore({ url, schema: store.schema });
          others.push(other);
          return other;
        },
        execute: async (sql) => void (await execute(url, sql)),
        table: async (family) => `${store.schema}.${family}`,
        literal: (value) =>
          typeof value === 'string'
            ? `'${value}'`
            : `'\\x${Buffer.from(value).toString('hex')}'::bytea`,
        close: async () => {
          for (const each of [store, ...others]) await each.close();
        },
      };
    },
  });
});
