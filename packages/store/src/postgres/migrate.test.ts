import { expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { Database } from './database.ts';
import { createPostgresStore } from './index.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS, type Migration } from './migrations/all-migrations.ts';
import { toSettings } from './options.ts';
import { execute, newSchema } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';

async function openUnmigrated(schema: string) {
  const store = await createPostgresStore({ url, schema });
  onTestFinished(() => store.close());
  return store;
}

/** A later migration. A change of a partitioned table includes its segments. */
const addNotes: Migration = (s) => `
alter table ${s}.runs add column note text not null default 'none';
alter table ${s}.inbox add column note text;`;

async function columnsOf(schema: string): Promise<string[]> {
  const columns = `select table_name || '.' || column_name || ' ' || data_type as it
    from information_schema.columns where table_schema = '${schema}' order by 1`;
  return (await execute(url, columns)).rows.map(({ it }) => it as string);
}

/** A schema with one run, written under version 1. */
async function writtenSchema() {
  const schema = newSchema();
  const store = await openUnmigrated(schema);
  await store.migrate();
  const id = { ms: await store.now(), partition: 1, seq: 1 };
  const request = { partition: 1, owner: 'a', ttlMs: 60_000, commitId: 'fence' };
  const lease = await store.acquireLease(request);
  if (lease.kind !== 'acquired') throw new Error('held');
  const next = part({ partition: 1, epoch: 1, seq: lease.seq + 1, runs: [runRow(id)] });
  await store.append({ commitId: 'c', parts: [next] });
  return { schema, store, id };
}

function openDatabase(schema: string): Database {
  const database = new Database(toSettings({ url, schema }));
  onTestFinished(() => database.close());
  return database;
}

describePostgres('migrations', () => {
  it('DUR-23 apply what is missing, keep the rows, and only add', async () => {
    const { schema, store, id } = await writtenSchema();
    const before = await columnsOf(schema);
    const database = openDatabase(schema);
    for (let i = 0; i < 2; i++) await migrate(database, [...MIGRATIONS, addNotes]);
    const versions = `select version from ${schema}.schema_migrations order by version`;
    expect((await execute(url, versions)).rows.map(({ version }) => version)).toEqual([1, 2]);
    expect((await execute(url, `select note from ${schema}.runs`)).rows).toEqual([
      { note: 'none' },
    ]);
    expect(await columnsOf(schema)).toEqual(expect.arrayContaining(before));
    // A segment that is created after the migration has the new column as well.
    await store.ensureSegments({ untilMs: id.ms + 2 * 86_400_000 });
    const columns = (await columnsOf(schema)).filter((it) => /^runs_.*\.note text$/.test(it));
    expect(columns).toHaveLength((await store.listSegments()).length);
  });

  it('leave the old schema where one of them fails', async () => {
    const { schema, store, id } = await writtenSchema();
    const before = await columnsOf(schema);
    const failing: Migration = (s) => `create table ${s}.a (b text); select * from ${s}.absent`;
    const migrating = migrate(openDatabase(schema), [...MIGRATIONS, addNotes, failing]);
    await expect(migrating).rejects.toThrow();
    expect(await columnsOf(schema)).toEqual(before);
    await store.migrate();
    expect(await store.getRun({ tenant: 'acme', id })).toMatchObject({ run: runRow(id) });
  });

  it('refuse a schema of an earlier format, and leave it as it is', async () => {
    const schema = newSchema();
    await execute(
      url,
      `create schema ${schema}; create table ${schema}.schema_version (version int primary key);
      insert into ${schema}.schema_version values (10)`,
    );
    const before = await columnsOf(schema);
    const store = await openUnmigrated(schema);
    await expectRefused(store.migrate(), 'invalid');
    await expect(store.migrate()).rejects.toThrow(/development version.*drop schema/);
    expect(await columnsOf(schema)).toEqual(before);
  });

  it('may be run by many nodes at once, and again', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openUnmigrated(schema)));
    await Promise.all(stores.map((store) => store.migrate()));
    await Promise.all(stores.map((store) => store.ensureSegments({ untilMs: Date.now() })));
    await stores[0]?.migrate();
    const { rows } = await execute(
      url,
      `select version from ${schema}.schema_migrations order by version`,
    );
    expect(rows.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
  });

  it('refuse a schema that is newer than the program', async () => {
    const schema = newSchema();
    const store = await openUnmigrated(schema);
    await store.migrate();
    await execute(url, `insert into ${schema}.schema_migrations values (${MIGRATIONS.length + 1})`);
    await expectRefused(store.migrate(), 'invalid');
  });

  it('refuse a name that would need quotes', async () => {
    await expectRefused(createPostgresStore({ url, schema: 'a"b' }), 'invalid');
  });

  it('refuse a database whose transactions see one snapshot throughout', async () => {
    const own = new URL(await createDatabase());
    const name = own.pathname.slice(1);
    await execute(
      own.href,
      `alter database ${name} set default_transaction_isolation = 'repeatable read'`,
    );
    await expectRefused(createPostgresStore({ url: own.href }), 'invalid');
  });
});
