import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { openFile } from './connection.ts';
import { storeOn } from './create-sqlite-store.ts';
import { Database } from './database.ts';
import { toStoreError } from './failure.ts';
import { temporaryFile } from './testing/temporary-file.ts';

const NOW_MS = 1_700_000_000_000;
const IOERR_FSYNC = 1034;

async function setup(wrap: (db: DatabaseSync) => DatabaseSync = (db) => db) {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const connection = openFile(file.path);
  const store = storeOn(new Database(wrap(connection)), { now: () => NOW_MS, requested: {} });
  onTestFinished(() => store.close());
  await store.migrate();
  await store.ensureSegments({ untilMs: NOW_MS });
  const lease = { partition: 1, owner: 'node-a', ttlMs: 60_000, commitId: 'fence' };
  await store.acquireLease(lease);
  const commit = (seq: number, byteCount = 10) => {
    const input = new Uint8Array(byteCount);
    const runs = [runRow({ ms: NOW_MS, partition: 1, seq }, { input, keys: [`k${seq}`] })];
    const parts = [part({ partition: 1, epoch: 1, seq, runs })];
    return store.append({ commitId: `commit-${seq}`, parts });
  };
  return { store, connection, commit, path: file.path };
}

describe('SQLite failures', () => {
  it('are unavailable when another process holds the write lock, and pass with it', async () => {
    const { store, commit, path } = await setup();
    const other = openFile(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await expectRefused(commit(2), 'unavailable');
    // Readers do not wait for a writer.
    expect(await store.readGroup({ partition: 1, seq: 1 })).toMatchObject({ commitId: 'fence' });
    other.exec('ROLLBACK');
    expect(await commit(2)).toEqual({ kind: 'committed' });
  });

  it('F15 are unavailable when the disk is full, leave nothing behind, and pass with it', async () => {
    const { store, connection, commit } = await setup();
    const before = await store.snapshot();
    const pages = connection.prepare('PRAGMA page_count').get() as { page_count: number };
    connection.exec(`PRAGMA max_page_count = ${pages.page_count + 2}`);
    await expectRefused(commit(2, 1_000_000), 'unavailable');
    expect(await store.snapshot()).toEqual(before);
    connection.exec('PRAGMA max_page_count = 1000000');
    expect(await commit(2, 1_000_000)).toEqual({ kind: 'committed' });
    expect(connection.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  it('are unknown only when the disk fails during COMMIT, and reading back settles it', async () => {
    const faults = { commitFails: false };
    const { store, commit, connection } = await setup((db) => failingAtCommit(db, faults));
    faults.commitFails = true;
    await expectRefused(commit(2), 'unknown');
    // While the disk fails nobody may conclude anything.
    await expectRefused(store.readGroup({ partition: 1, seq: 2 }), 'unavailable');
    faults.commitFails = false;
    expect(await store.readGroup({ partition: 1, seq: 2 })).toBeNull();
    const settled = connection.prepare("SELECT value FROM settings WHERE name = 'doubtsResolved'");
    expect(settled.get()).toEqual({ value: 1 });
    expect(await commit(2)).toEqual({ kind: 'committed' });
  });

  it('stay unknown where the disk fails the rollback, too, and pass with it', async () => {
    const faults = { commitFails: false };
    const { store, commit } = await setup((db) => failingAtCommit(db, faults, 'and rollback'));
    faults.commitFails = true;
    await expectRefused(commit(2), 'unknown');
    await expectRefused(commit(2), 'unavailable');
    await expectRefused(store.listLeases(), 'unavailable');
    faults.commitFails = false;
    expect(await store.readGroup({ partition: 1, seq: 2 })).toBeNull();
    expect(await commit(2)).toEqual({ kind: 'committed' });
  });

  it('are unavailable where another process stood in the way', () => {
    const kindOf = (errcode: number) =>
      toStoreError(Object.assign(new Error('race'), { errcode })).kind;
    // locking protocol; database schema has changed
    for (const errcode of [15, 17]) expect(kindOf(errcode)).toBe('unavailable');
  });

  it('are unavailable after closing, which may be repeated', async () => {
    const { store, commit } = await setup();
    await store.close();
    await store.close();
    await expectRefused(commit(2), 'unavailable');
    await expectRefused(store.listLeases(), 'unavailable');
  });

  it('are invalid where no retry can help', () => {
    expect(toStoreError(new TypeError('x is undefined')).kind).toBe('invalid');
    expect(toStoreError(Object.assign(new Error('corrupt'), { errcode: 11 })).kind).toBe('invalid');
    expect(toStoreError(Object.assign(new Error('unique'), { errcode: 2067 })).kind).toBe(
      'invalid',
    );
    expect(toStoreError(Object.assign(new Error('io'), { errcode: 778 })).kind).toBe('unavailable');
  });

  it('of a path that cannot be opened are unavailable', () => {
    expect(() => openFile('/nowhere/at/all.sqlite')).toThrow(
      expect.objectContaining({ name: 'StoreError', kind: 'unavailable' }),
    );
  });
});

/** A connection whose COMMIT rolls back and reports a failed flush while the fault is on. */
function failingAtCommit(
  db: DatabaseSync,
  faults: { commitFails: boolean },
  more?: 'and rollback',
): DatabaseSync {
  const fail = () => {
    if (more === undefined) db.exec('ROLLBACK');
    throw Object.assign(new Error('disk I/O error'), { errcode: IOERR_FSYNC });
  };
  return new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        const isCommit = values[0] === 'COMMIT';
        const isFailing = isCommit || (values[0] === 'ROLLBACK' && more !== undefined);
        if (name === 'exec' && isFailing && faults.commitFails) fail();
        const answer = value.apply(target, values);
        if (name !== 'prepare' || !isCommit) return answer;
        return { run: () => (faults.commitFails ? fail() : answer.run()) };
      };
    },
  });
}
