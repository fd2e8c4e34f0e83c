import { formatRunId } from '@signalbox/engine';
import { expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { auditEntry, endRow, logLine, part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { Database } from './database.ts';
import { createPostgresStore } from './index.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/all-migrations.ts';
import { toSettings } from './options.ts';
import { ensureGroupSegments } from './segments/ensure-group-segments.ts';
import { execute, newSchema } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';

async function openUnmigrated(schema: string) {
  const store = await createPostgresStore({ url, schema });
  onTestFinished(() => store.close());
  return store;
}

function bytea(bytes: Uint8Array): string {
  return `'\\x${Buffer.from(bytes).toString('hex')}'`;
}

describePostgres('migrations', () => {
  it('DUR-23 read rows of the first schema with defaults, beside rows of the newest', async () => {
    const schema = newSchema();
    const database = new Database(toSettings({ url, schema }));
    onTestFinished(() => database.close());
    await migrate(database, 1);
    const store = await openUnmigrated(schema);
    const ms = await store.now();
    await store.ensureSegments({ untilMs: ms });
    const [epoch, seq] = [1, 1];
    await ensureGroupSegments(database, [seq]);
    await execute(
      url,
      `insert into ${schema}.leases (partition, owner, epoch, expires_at_ms)
        values (1, 'a', ${epoch}, ${ms + 60_000})`,
    );
    await execute(
      url,
      `insert into ${schema}.groups (partition, seq, epoch, commit_id, at_ms, fact_count, body)
        values (1, ${seq}, ${epoch}, 'fence', ${ms}, 0, '')`,
    );
    const old = runRow({ ms, partition: 1, seq: 1 });
    const { atMs, factCount, body } = part({ partition: 1, epoch, seq: seq + 1, runs: [old] });
    // A group, a run and an end as that version wrote them.
    await execute(
      url,
      `insert into ${schema}.groups (partition, seq, epoch, commit_id, at_ms, fact_count, body)
        values (1, ${seq + 1}, ${epoch}, 'old', ${atMs}, ${factCount}, ${bytea(body)})`,
    );
    await execute(
      url,
      `insert into ${schema}.runs
        (id, job_version, input_bytes, class, tenant, job, head, input)
        values ('${formatRunId(old.id)}', ${old.jobVersion}, ${old.inputBytes}, ${old.class},
        '${old.tenant}', '${old.job}', '{}', ${bytea(old.input as Uint8Array)})`,
    );
    const { state, endedAtMs, output } = endRow(old);
    await execute(
      url,
      `insert into ${schema}.ends (id, ended_at_ms, tenant, state, detail, output) values
        ('${formatRunId(old.id)}', ${endedAtMs}, 'acme', '${state}', '{}',
        ${bytea(output as Uint8Array)})`,
    );

    await store.migrate();
    const young = runRow({ ms, partition: 1, seq: 2 }, { keys: ['k'] });
    const packed = [3, 4, 5].map((n) => runRow({ ms, partition: 1, seq: n }));
    const after = part({ partition: 1, epoch, seq: seq + 2, runs: [young, ...packed] });
    expect(await store.append({ commitId: 'new', parts: [after] })).toEqual({ kind: 'committed' });
    const listed = await store.listRuns({ tenant: 'acme', before: null, limit: 9 });
    expect(listed).toEqual([
      ...packed.toReversed().map((run) => ({ run, end: null })),
      { run: young, end: null },
      { run: { ...old, head: '{}', keys: [] }, end: { ...endRow(old), detail: '{}' } },
    ]);
    const groups = await store.readGroups({ partition: 1, afterSeq: 0, limit: 9 });
    expect(groups.map(({ commitId }) => commitId)).toEqual(['fence', 'old', 'new']);
    // A segment that is made after the migration has the new columns as well.
    await store.ensureSegments({ untilMs: ms + 2 * 86_400_000 });
    const later = runRow({ ms: ms + 2 * 86_400_000, partition: 1, seq: 3 }, { keys: ['l'] });
    const last = part({ partition: 1, epoch, seq: seq + 3, runs: [later] });
    expect(await store.append({ commitId: 'later', parts: [last] })).toEqual({ kind: 'committed' });
  });

  it('DUR-23 make room for the logs of runs that are there already', async () => {
    const schema = newSchema();
    const database = new Database(toSettings({ url, schema }));
    onTestFinished(() => database.close());
    await migrate(database, 2);
    const store = await openUnmigrated(schema);
    const ms = await store.now();
    await store.ensureSegments({ untilMs: ms });
    await store.migrate();
    const tables = `select relname from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = '${schema}' and relname ~ '^(runs|logs)_\\d+$' order by relname`;
    const names = (await execute(url, tables)).rows.map(({ relname }) => relname as string);
    expect(names.filter((name) => name.startsWith('logs')).map((name) => name.slice(5))).toEqual(
      names.filter((name) => name.startsWith('runs')).map((name) => name.slice(5)),
    );
    const line = logLine({ ms, partition: 1, seq: 1 });
    await store.appendLogs([line]);
    const query = { tenant: 'acme', run: line.run, after: null, limit: 9 };
    expect(await store.readLogs(query)).toEqual([line]);
    expect(await store.appendAudit(auditEntry())).toMatchObject({ number: 1 });
  });

  it('DUR-23 only add: what the first schema has, the newest has too', async () => {
    const schema = newSchema();
    const database = new Database(toSettings({ url, schema }));
    onTestFinished(() => database.close());
    const columns = `select table_name || '.' || column_name || ' ' || data_type as it
      from information_schema.columns where table_schema = '${schema}'`;
    const read = async () => (await execute(url, columns)).rows.map(({ it }) => it as string);
    await migrate(database, 1);
    const first = await read();
    await migrate(database);
    expect(await read()).toEqual(expect.arrayContaining(first));
  });

  it('may be run by many nodes at once, and again', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openUnmigrated(schema)));
    await Promise.all(stores.map((store) => store.migrate()));
    await Promise.all(stores.map((store) => store.ensureSegments({ untilMs: Date.now() })));
    await stores[0]?.migrate();
    const { rows } = await execute(
      url,
      `select version from ${schema}.schema_version order by version`,
    );
    expect(rows.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  });

  it('refuse a schema that is newer than the program', async () => {
    const schema = newSchema();
    const store = await openUnmigrated(schema);
    await store.migrate();
    await execute(url, `insert into ${schema}.schema_version values (${migrations.length + 1})`);
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
