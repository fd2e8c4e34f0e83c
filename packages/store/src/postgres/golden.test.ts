import { it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import {
  contentsOf,
  expectUsable,
  fillGoldenStore,
  readGolden,
  WRITES_GOLDEN,
  writeGolden,
} from '../testing/golden-store.ts';
import { createPostgresStore } from './index.ts';
import { MIGRATIONS } from './migrations/all-migrations.ts';
import { dumpSchema } from './testing/dump-schema.ts';
import { execute } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';
const SCHEMA = 'golden';

async function write(version: number): Promise<void> {
  const store = await createPostgresStore({ url, schema: SCHEMA });
  await store.migrate();
  await fillGoldenStore(store);
  const contents = JSON.stringify(await contentsOf(store), null, 1);
  await store.close();
  writeGolden(`postgres-${version}.sql`, await dumpSchema(url, SCHEMA));
  writeGolden(`postgres-${version}.json`, `${contents}\n`);
}

if (WRITES_GOLDEN && hasPostgres) await write(MIGRATIONS.length);

describePostgres('golden PostgreSQL dumps', () => {
  it.each(MIGRATIONS.map((_, i) => i + 1))(
    'DUR-23 of schema %i are read, and new rows are written beside the old ones',
    async (version) => {
      await execute(url, `drop schema if exists ${SCHEMA} cascade`);
      await execute(url, readGolden(`postgres-${version}.sql`).toString());
      const store = await createPostgresStore({ url, schema: SCHEMA });
      onTestFinished(() => store.close());
      await store.migrate();
      await expectUsable(store, JSON.parse(readGolden(`postgres-${version}.json`).toString()));
    },
  );
});
