import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, hasPostgres } from '../../../tools/testing/postgres.ts';
import { part, runRow } from './conformance/builders.ts';
import { execute, openStore } from './postgres/testing/target.ts';
import { createSqliteStore } from './sqlite/create-sqlite-store.ts';
import { temporaryFile } from './sqlite/testing/temporary-file.ts';
import type { Store } from './store.ts';

const url = hasPostgres ? await createDatabase() : '';
const PARTITION = 1;

interface Opened {
  readonly first: Store;
  readonly second: Store;
  /** As somebody would who cleans up tables by hand; returns how many rows there were. */
  deleteLeases(): Promise<number>;
}

async function onSqlite(): Promise<Opened> {
  const file = temporaryFile();
  const open = async () => createSqliteStore({ path: file.path });
  const [first, second] = [await open(), await open()];
  await first.migrate();
  onTestFinished(async () => {
    await first.close();
    await second.close();
    file.remove();
  });
  const deleteLeases = async () => {
    const db = new DatabaseSync(file.path);
    const { changes } = db.prepare('DELETE FROM leases').run();
    db.close();
    return Number(changes);
  };
  return { first, second, deleteLeases };
}

async function onPostgres(): Promise<Opened> {
  const first = await openStore({ url });
  const second = await openStore({ url, schema: first.schema });
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const deleteLeases = async () =>
    (await execute(url, `DELETE FROM ${first.schema}.leases`)).rowCount ?? 0;
  return { first, second, deleteLeases };
}

async function take(store: Store, owner: string): Promise<{ epoch: number; seq: number }> {
  const request = { partition: PARTITION, owner, ttlMs: 60_000, commitId: `fence of ${owner}` };
  const answer = await store.acquireLease(request);
  if (answer.kind !== 'acquired') throw new Error(`not acquired: ${answer.kind}`);
  return answer;
}

async function commit(store: Store, at: { epoch: number; seq: number }): Promise<string> {
  const id = { ms: Date.now(), partition: PARTITION, seq: at.seq };
  const next = part({ partition: PARTITION, ...at, runs: [runRow(id)] });
  return (await store.append({ commitId: `${at.epoch}/${at.seq}`, parts: [next] })).kind;
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('a lease row that is missing, on %s', (name, open) => {
  it.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    'U020 is created again, and the former owner stays excluded',
    async () => {
      const { first, second, deleteLeases } = await open();
      await first.ensureSegments({ untilMs: await first.now() });
      const old = await take(first, 'a');
      expect(await commit(first, { epoch: old.epoch, seq: old.seq + 1 })).toBe('committed');
      expect(await deleteLeases()).toBe(1);
      // Another node finds no row, makes one, and its fence is in the journal.
      const next = await take(second, 'b');
      expect(next.epoch).toBeGreaterThan(old.epoch);
      const owners = (await second.listLeases()).map(({ owner }) => owner);
      expect(owners).toEqual(['b']);
      expect(await commit(first, { epoch: old.epoch, seq: old.seq + 2 })).toBe('fenced');
      expect(await commit(second, { epoch: next.epoch, seq: next.seq + 1 })).toBe('committed');
      const groups = await second.readGroups({ partition: PARTITION, afterSeq: 0, limit: 100 });
      const written = groups.filter(({ factCount }) => factCount > 0);
      expect(written.map(({ epoch }) => epoch)).toEqual([old.epoch, next.epoch]);
    },
  );
});
