import pg from 'pg';
import type { ConformanceTarget } from '../../conformance/index.ts';
import { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from '../index.ts';

let schemaCount = 0;

/** A name that no other test of this database has. */
export function newSchema(): string {
  return `test_${process.pid}_${++schemaCount}`;
}

/** A migrated store in a schema of its own. */
export async function openStore(
  options: PostgresStoreOptions,
): Promise<PostgresStore & { readonly schema: string }> {
  const schema = options.schema ?? newSchema();
  const store = await createPostgresStore({ ...options, schema });
  await store.migrate();
  return { ...store, schema };
}

/** A session beside the store's own. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** A statement beside the store. */
export async function execute(url: string, text: string): Promise<pg.QueryResult> {
  const client = await connectTo(url);
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

export function postgresTarget(
  url: string,
  options: Partial<PostgresStoreOptions> = {},
): ConformanceTarget {
  return {
    name: options.prepare === false ? 'PostgreSQL without prepared statements' : 'PostgreSQL',
    create: async (wanted) => {
      const store = await openStore({ url, ...wanted, ...options });
      return {
        store,
        snapshot: () => store.snapshot(),
        // The schema stays: it goes with the database when the file ends, which is quicker.
        close: () => store.close(),
      };
    },
  };
}
