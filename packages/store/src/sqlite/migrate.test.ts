import { describe, expect, it, onTestFinished } from 'vitest';
import {
  auditEntry,
  endRow,
  inboxEntry,
  logLine,
  parkedRow,
  part,
  runRow,
} from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { openFile } from './connection.ts';
import { createSqliteStore } from './create-sqlite-store.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/all-migrations.ts';
import { createGroupSegment } from './sql/group-segments/create-group-segment.ts';
import { createRunSegment } from './sql/segments/create-run-segment.ts';
import { temporaryFile } from './testing/temporary-file.ts';

const MS = 1_700_000_000_000;
const SEGMENT_MS = 86_400_000;
const SEGMENT = Math.floor(MS / SEGMENT_MS);
const ID_HEX = '018bcfe5680070018000000000000001';
const ID = { ms: MS, partition: 1, seq: 1 };

/** A file as the program wrote it that knew schema 1 only. */
const WRITTEN_UNDER_1 = `
INSERT INTO settings VALUES ('segmentMs', ${SEGMENT_MS}), ('groupSegmentSize', 65536);
INSERT INTO segments (segment, sealed) VALUES (${SEGMENT}, 0), (${SEGMENT + 1}, 0);
INSERT INTO group_segments VALUES (0);
INSERT INTO partitions VALUES (1, 'node-a', 4, ${MS}, 9);
INSERT INTO nodes VALUES ('node-a', 'ws://a', ${MS});
INSERT INTO groups_0 VALUES (1, 9, 4, 'commit-9', ${MS}, 1, x'6661637473');
INSERT INTO checkpoints VALUES (1, 4, 8);
INSERT INTO checkpoint_chunks VALUES (1, 0, x'00ff');
INSERT INTO keys VALUES ('acme', 'k', x'${ID_HEX}');
INSERT INTO runs_${SEGMENT} VALUES
  ('acme', x'${ID_HEX}', 'report', 3, 1, '{}', '["k"]', 2, x'7b7d');
INSERT INTO ends_${SEGMENT} VALUES
  (x'${ID_HEX}', 'acme', 'SUCCEEDED', ${MS + 5}, '{}', NULL);
INSERT INTO inbox VALUES ('alias-1', 1, 'acme', 'report', 2, '', NULL, NULL, ${MS});
INSERT INTO definitions VALUES ('acme', 'job', 'report', 1, '{}', 'ann', ${MS}, 0);
`;

function fileOfSchema1(): string {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const db = new Database(openFile(file.path));
  migrate(db, 1);
  for (const segment of [SEGMENT, SEGMENT + 1]) {
    db.exec(createRunSegment(segment));
    // That program knew of no logs, and of no checksums.
    db.exec(`DROP TABLE logs_${segment}`);
    for (const [table, payload] of [
      ['runs', 'input'],
      ['ends', 'output'],
    ]) {
      db.exec(`ALTER TABLE ${table}_${segment} DROP COLUMN checksum`);
      db.exec(`ALTER TABLE ${table}_${segment} DROP COLUMN ${payload}_checksum`);
    }
    db.exec(`ALTER TABLE parked_${segment} DROP COLUMN checksum`);
  }
  db.exec(createGroupSegment(0));
  db.exec('ALTER TABLE groups_0 DROP COLUMN checksum');
  db.exec(WRITTEN_UNDER_1);
  db.close();
  return file.path;
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

async function openMigrated(path: string, nowMs = MS + 10) {
  const store = await createSqliteStore({ path, now: () => nowMs });
  onTestFinished(() => store.close());
  await store.migrate();
  return store;
}

describe('SQLite migrations', () => {
  it('are numbered without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
  });

  it('DUR-23 read rows written under an older schema, with defaults for what it lacked', async () => {
    const store = await openMigrated(fileOfSchema1());
    const stored = await store.getRun({ tenant: 'acme', id: ID });
    expect(stored?.run).toMatchObject({ id: ID, job: 'report', keys: ['k'], inputBytes: 2 });
    expect(stored?.end).toMatchObject({ state: 'SUCCEEDED', output: null });
    expect(await store.readGroup({ partition: 1, seq: 9 })).toMatchObject({ commitId: 'commit-9' });
    expect(await store.readCheckpoint(1)).toMatchObject({
      seq: 8,
      chunks: [new Uint8Array([0, 255])],
    });
    expect(await store.readKeys([{ tenant: 'acme', key: 'k' }])).toMatchObject([{ run: ID }]);
    expect(await store.readInbox({ partitions: [1], limit: 9 })).toMatchObject([{ id: 'alias-1' }]);
    const key = { tenant: 'acme', kind: 'job', name: 'report' };
    expect(await store.getDefinition(key)).toMatchObject({ version: 1, deleted: false });
    // `dropped` is new: segments from before read as present.
    expect((await store.listSegments()).map(({ sealed }) => sealed)).toEqual([false, false]);
  });

  it('DUR-23 only add: what a file of the first schema has, the newest has too', async () => {
    const path = fileOfSchema1();
    const before = columnsOf(path);
    await openMigrated(path);
    expect(before.length).toBeGreaterThan(50);
    expect(columnsOf(path)).toEqual(expect.arrayContaining(before));
  });

  it('DUR-23 put new rows beside the old ones', async () => {
    const store = await openMigrated(fileOfSchema1());
    const taken = { partition: 1, owner: 'node-b', ttlMs: 1_000, commitId: 'fence' };
    expect(await store.acquireLease(taken)).toMatchObject({ kind: 'acquired', epoch: 5, seq: 10 });
    const run = runRow({ ms: MS + 1, partition: 1, seq: 2 }, { keys: ['k2'] });
    const content = { runs: [run], ends: [endRow(run)], parked: [parkedRow(run)] };
    const parts = [part({ partition: 1, epoch: 5, seq: 11, ...content })];
    expect(await store.append({ commitId: 'c', parts })).toEqual({ kind: 'committed' });
    await store.putInbox(inboxEntry('alias-2'));
    const listed = await store.listRuns({ tenant: 'acme', before: null, limit: 9 });
    expect(listed.map((each) => each.run.id.seq)).toEqual([2, 1]);
    const forgotten = await store.forgetKeys({ beforeMs: MS + 1, after: null, limit: 9 });
    expect(forgotten).toEqual({ forgotten: 1, last: null });
  });

  it('DUR-23 make room for the logs of runs that are there already', async () => {
    const path = fileOfSchema1();
    const store = await openMigrated(path);
    const line = logLine(ID);
    await store.appendLogs([line]);
    const query = { tenant: 'acme', run: ID, after: null, limit: 9 };
    expect(await store.readLogs(query)).toEqual([line]);
    expect(await store.appendAudit(auditEntry())).toMatchObject({ number: 1 });
    const later = await openMigrated(path, MS + 3 * SEGMENT_MS);
    for (const { fromMs } of await later.listSegments()) {
      expect(await later.sealSegment(fromMs)).toEqual({ sealed: true, openRuns: 0 });
      await later.dropSegment(fromMs);
    }
    expect(await later.readLogs(query)).toEqual([]);
  });

  it('find nothing to do the second time, also for two that start at once', async () => {
    const path = fileOfSchema1();
    const stores = await Promise.all([openMigrated(path), openMigrated(path)]);
    await stores[0]?.migrate();
    expect(await stores[0]?.snapshot()).toEqual(await stores[1]?.snapshot());
  });

  it('refuse a newer schema', async () => {
    const path = fileOfSchema1();
    const raw = openFile(path);
    raw.exec('UPDATE schema_version SET version = 99');
    raw.close();
    const store = await createSqliteStore({ path });
    onTestFinished(() => store.close());
    await expectRefused(store.migrate(), 'invalid');
    await expect(store.migrate()).rejects.toThrow(/schema version 99/);
  });

  it('refuse other segment sizes than the file was made with', async () => {
    const path = fileOfSchema1();
    const store = await createSqliteStore({ path, segmentMs: 1_000 });
    onTestFinished(() => store.close());
    await expectRefused(store.migrate(), 'invalid');
  });
});
