import { describe, expect, it, onTestFinished } from 'vitest';
import type { RowKind } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import { bytes, endRow, inboxEntry, part, runRow } from './builders.ts';
import { expectRefused } from './world.ts';

/** A store whose rows a test can change behind its back. */
export interface DamageTarget {
  readonly name: string;
  open(): Promise<{
    readonly store: Store;
    /** The same contents, opened by another process. */
    reopen(): Promise<Store>;
    execute(sql: string): Promise<void>;
    /** The table of a family, such as `runs`. */
    table(family: string): Promise<string>;
    literal(value: string | Uint8Array): string;
    close(): Promise<void>;
  }>;
}

/** What each way makes of a value: broken contents, contents of an unknown kind, contents cut short. */
const WAYS = { 'bad contents': '{"', 'an unknown kind': '{"kind":"nobody"}', 'a cut': '' } as const;
const JOB = { tenant: 'acme', kind: 'job', name: 'report' };

export function damageSuite(target: DamageTarget): void {
  describe.each(Object.entries(WAYS))(`a row damaged on ${target.name} by %s`, (_, text) => {
    const world = () => openWorld(target, text);

    it('group: its partition cannot be read, and others can', async () => {
      const { store, damage, named } = await world();
      await damage('groups', 'body', 'partition = 1 and seq = 2');
      const query = { partition: 1, afterSeq: 0, limit: 9 };
      await expectRefused((await store()).readGroups(query), 'damaged');
      expect(await (await store()).readGroups({ ...query, partition: 2 })).toHaveLength(2);
      await named('group', '1/2');
    });

    it('checkpoint: the one before it is read, and the next one replaces it', async () => {
      const { store, damage, named, epoch } = await world();
      const column = target.name === 'SQLite' ? 'bytes' : 'body';
      const where = target.name === 'SQLite' ? 'partition = 1' : 'partition = 1 and seq = 3';
      await damage('checkpoint_chunks', column, where);
      const opened = await store();
      expect(await opened.readCheckpoint(1)).toMatchObject({ seq: 2, chunks: [bytes('older')] });
      await named('checkpoint', '1/3');
      const next = { partition: 1, epoch, seq: 4, chunks: [bytes('next')] };
      expect(await opened.writeCheckpoint(next)).toBe(true);
      expect(await opened.readCheckpoint(1)).toEqual(next);
    });

    it.each([
      ['run', 'runs', 'head'],
      ['end', 'ends', 'detail'],
    ] as const)('%s: it is refused alone, and marked in lists', async (kind, table, column) => {
      const { store, damage, named, runs } = await world();
      await damage(table, column, `${column} like '%first%'`);
      const opened = await store();
      const [first, second] = runs;
      await expectRefused(opened.getRun({ tenant: 'acme', id: first.id }), 'damaged');
      expect(await opened.getRun({ tenant: 'acme', id: second.id })).toMatchObject({ run: second });
      const listed = await opened.listRuns({ tenant: 'acme', before: null, limit: 9 });
      expect(listed.map(({ run, damaged }) => [run.id.seq, damaged])).toEqual([
        [second.id.seq, undefined],
        [first.id.seq, true],
      ]);
      await named(kind);
    });

    it('inbox: the entry is moved away, and its key can be used again', async () => {
      const { store, damage, named } = await world();
      await damage('inbox', 'head', "id = 'one'");
      const opened = await store();
      const read = await opened.readInbox({ partitions: [1], limit: 9 });
      expect(read.map(({ id }) => id)).toEqual(['two']);
      await named('inbox', 'one');
      const again = inboxEntry('three', { key: 'key of one' });
      expect(await opened.putInbox(again)).toEqual({ kind: 'put' });
    });

    it('definition: it is refused alone, marked in lists, and saving it again repairs it', async () => {
      const { store, damage, named } = await world();
      await damage('definitions', 'body', "name = 'report'");
      const opened = await store();
      await expectRefused(opened.getDefinition(JOB), 'damaged');
      expect(await opened.getDefinition({ ...JOB, name: 'other' })).toMatchObject({ body: '{}' });
      const listed = await opened.listDefinitions({ ...JOB, after: null, limit: 9 });
      expect(listed.map(({ name, damaged }) => [name, damaged])).toEqual([
        ['other', undefined],
        ['report', true],
      ]);
      await named('definition', '["acme","job","report",1]');
      const change = { ...JOB, expectedVersion: 1, body: '{"again":true}', author: 'ann' };
      expect(await opened.putDefinition(change)).toEqual({ kind: 'written', version: 2 });
      expect(await opened.getDefinition(JOB)).toMatchObject({ version: 2 });
    });
  });
}

async function openWorld(target: DamageTarget, text: string) {
  const opened = await target.open();
  onTestFinished(() => opened.close());
  const { store } = opened;
  const ms = await store.now();
  const lease = { owner: 'a', ttlMs: 600_000 };
  const runs = [
    runRow({ ms, partition: 1, seq: 1 }, { head: '{"is":"first"}' }),
    runRow({ ms, partition: 1, seq: 2 }, { head: '{"is":"second"}' }),
  ] as const;
  const details = { 1: '{"is":"first"}', 2: '{"is":"second"}' } as Record<number, string>;
  const ends = runs.map((run) => endRow(run, { detail: details[run.id.seq] as string }));
  let epoch = 0;
  for (const partition of [1, 2]) {
    const taken = await store.acquireLease({ ...lease, partition, commitId: `fence ${partition}` });
    if (taken.kind !== 'acquired') throw new Error('the lease is held');
    epoch = taken.epoch;
    const content = partition === 1 ? { runs, ends: [ends[0] as never] } : {};
    const next = part({ partition, epoch, seq: taken.seq + 1, atMs: ms, ...content });
    await store.append({ commitId: `one ${partition}`, parts: [next] });
  }
  const last = part({ partition: 1, epoch, seq: 3, atMs: ms, ends: ends.slice(1) });
  await store.append({ commitId: 'two', parts: [last] });
  await store.writeCheckpoint({ partition: 1, epoch, seq: 2, chunks: [bytes('older')] });
  await store.writeCheckpoint({ partition: 1, epoch, seq: 3, chunks: [bytes('newest')] });
  for (const id of ['one', 'two']) await store.putInbox(inboxEntry(id));
  for (const name of ['report', 'other']) {
    await store.putDefinition({ ...JOB, name, expectedVersion: 0, body: '{}', author: 'ann' });
  }
  let again: Promise<Store> | null = null;
  const reopened = (): Promise<Store> => {
    again ??= opened.reopen();
    return again;
  };
  return {
    epoch,
    runs,
    store: reopened,
    damage: async (family: string, column: string, where: string) => {
      const isBytes = column === 'bytes' || (column === 'body' && family !== 'definitions');
      const value = opened.literal(isBytes ? bytes(text) : text);
      await opened.execute(
        `update ${await opened.table(family)} set ${column} = ${value} where ${where}`,
      );
    },
    named: async (kind: RowKind, key?: string) => {
      const rows = await (await reopened()).listDamagedRows({ after: null, limit: 9 });
      expect(rows).toEqual([
        expect.objectContaining({ kind, error: 'the checksum does not match' }),
      ]);
      if (key !== undefined) expect(rows[0]?.key).toBe(key);
      expect(rows[0]?.bytes.length).toBeGreaterThan(0);
    },
  };
}
