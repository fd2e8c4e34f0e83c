import { describe, expect, it, onTestFinished } from 'vitest';
import { runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { openFile } from './connection.ts';
import { createSqliteStore } from './create-sqlite-store.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS, type Migration } from './migrations/all-migrations.ts';
import { temporaryFile } from './testing/temporary-file.ts';

const MS = 1_700_000_000_000;
const ID = { ms: MS, partition: 1, seq: 1 };

function newFile(): string {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  return file.path;
}

/** A change to the file beside the store. */
function change(path: string, sql: string): void {
  const raw = openFile(path);
  raw.exec(sql);
  raw.close();
}

function columnsOf(path: string): string[] {
  const db = openFile(path);
  const columns = db
    .prepare(
      `SELECT m.name || '.' || c.name || ' ' || c.type AS it FROM sqlite_schema m, pragma_table_info(m.name) c
        WHERE m.type = 'table'`,
    )
    .all();
  db.close();
  return columns.map(({ it }) => String(it));
}

async function open(path: string, options: { segmentMs?: number } = {}) {
  const store = await createSqliteStore({ path, now: () => MS, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A file with one run, written under schema 1. */
async function writtenFile(): Promise<string> {
  const path = newFile();
  const store = await open(path);
  await store.migrate();
  const fence = { partition: 1, owner: 'a', ttlMs: 1_000, commitId: 'fence' };
  await store.acquireLease(fence);
  const group = { partition: 1, epoch: 1, seq: 2, atMs: MS, factCount: 1, body: new Uint8Array(1) };
  const rows = { runs: [runRow(ID)], ends: [], parked: [], inboxTaken: [], aliases: [] };
  await store.append({ commitId: 'c', parts: [{ ...group, ...rows }] });
  await store.close();
  return path;
}

/** A later migration, which also changes the tables of segments. */
const addNotes: Migration = (db) => {
  db.exec(`ALTER TABLE inbox ADD COLUMN note TEXT`);
  for (const row of db.all('SELECT segment FROM segments')) {
    db.exec(`ALTER TABLE runs_${row['segment']} ADD COLUMN note TEXT NOT NULL DEFAULT 'none'`);
  }
};

describe('SQLite migrations', () => {
  it('DUR-23 apply what is missing, keep the rows, and only add', async () => {
    const path = await writtenFile();
    const before = columnsOf(path);
    const db = new Database(openFile(path));
    for (let i = 0; i < 2; i++) migrate(db, [...MIGRATIONS, addNotes]);
    const versions = db.all('SELECT version FROM schema_migrations ORDER BY version');
    expect(versions.map(({ version }) => version)).toEqual([1, 2]);
    const [segment] = db.all('SELECT segment FROM segments');
    const rows = db.all(`SELECT note, tenant FROM runs_${segment?.['segment']}`);
    expect(rows).toEqual([{ note: 'none', tenant: 'acme' }]);
    db.close();
    expect(before.length).toBeGreaterThan(50);
    expect(columnsOf(path)).toEqual(expect.arrayContaining(before));
    expect(columnsOf(path)).toContain('inbox.note TEXT');
  });

  it('leave the old schema where one of them fails', async () => {
    const path = await writtenFile();
    const before = columnsOf(path);
    const db = new Database(openFile(path));
    const failing: Migration = (db) => db.exec('CREATE TABLE a (b TEXT); SELECT * FROM absent');
    expect(() => migrate(db, [...MIGRATIONS, addNotes, failing])).toThrow();
    db.close();
    expect(columnsOf(path)).toEqual(before);
    const store = await open(path);
    await store.migrate();
    expect(await store.getRun({ tenant: 'acme', id: ID })).toMatchObject({ run: runRow(ID) });
  });

  it('find nothing to do the second time, also for two that start at once', async () => {
    const path = newFile();
    const stores = await Promise.all([open(path), open(path)]);
    await Promise.all(stores.map((store) => store.migrate()));
    await stores[0]?.migrate();
    expect(await stores[0]?.snapshot()).toEqual(await stores[1]?.snapshot());
  });

  it('refuse a file of an earlier format, and leave it as it is', async () => {
    const path = newFile();
    change(
      path,
      `CREATE TABLE schema_version (one INTEGER PRIMARY KEY, version INTEGER NOT NULL);
      INSERT INTO schema_version VALUES (1, 8)`,
    );
    const before = columnsOf(path);
    const store = await open(path);
    await expectRefused(store.migrate(), 'invalid');
    await expect(store.migrate()).rejects.toThrow(/development version.*use another file/);
    expect(columnsOf(path)).toEqual(before);
  });

  it('refuse a newer schema', async () => {
    const path = await writtenFile();
    change(path, 'INSERT INTO schema_migrations (version) VALUES (99)');
    const store = await open(path);
    await expectRefused(store.migrate(), 'invalid');
    await expect(store.migrate()).rejects.toThrow(/schema version 99.*use a newer program/);
  });

  it('refuse other segment sizes than the file was made with', async () => {
    const store = await open(await writtenFile(), { segmentMs: 1_000 });
    await expectRefused(store.migrate(), 'invalid');
  });
});
