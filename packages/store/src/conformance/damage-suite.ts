import { formatRunId, type RunId, writeRunId } from '@signalbox/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ParkedCursor } from '../contract/parked.ts';
import type { RowKind } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import { bytes, endRow, inboxEntry, parkedRow, part, runRow } from './builders.ts';
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
      const where = target.name === 'SQLite' ? 'partition = 1' : 'partition = 1 and seq = 3';
      await damage('checkpoint_chunks', 'body', where);
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

    it('inbox: the id of the entry is refused, before and after it is moved away', async () => {
      const { store, damage } = await world();
      await damage('inbox', 'head', "id = 'one'");
      const query = { tenant: 'acme', id: 'one' };
      await expectRefused((await store()).readInboxEntry(query), 'damaged');
      await (await store()).readInbox({ partitions: [1], limit: 9 });
      await expectRefused((await store()).readInboxEntry(query), 'damaged');
      const other = await (await store()).readInboxEntry({ tenant: 'acme', id: 'two' });
      expect(other).toMatchObject({ id: 'two' });
      expect(await (await store()).readInboxEntry({ tenant: 'acme', id: 'absent' })).toBeNull();
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

  describe(`a row changed on ${target.name}`, () => {
    const world = () => openWorld(target, '');

    it.each(['run', 'at_ms'])(
      'key, by its %s: no run gets it, and other keys are free',
      async (column) => {
        const { store, execute, table, literal, runs, epoch } = await world();
        const other = column === 'run' ? idLiteral(target, literal, runs[1].id) : '7';
        await execute(`update ${await table('keys')} set ${column} = ${other} where key = 'taken'`);
        const opened = await store();
        const key = { tenant: 'beta', key: 'taken' };
        await expectRefused(opened.readKeys([key]), 'damaged');
        expect(await opened.readKeys([{ ...key, key: 'free' }])).toEqual([]);
        await expectRefused(opened.putInbox(inboxEntry('three', key)), 'damaged');
        const id = (seq: number) => ({ ...runs[0].id, seq });
        const wanted = [
          runRow(id(8), { tenant: 'beta', keys: ['taken'] }),
          runRow(id(9), { tenant: 'beta', keys: ['free'] }),
        ];
        const next = part({ partition: 1, epoch, seq: 4, runs: wanted });
        const refused = await opened.append({ commitId: 'three', parts: [next] });
        expect(refused).toEqual({ kind: 'keyTaken', keys: [], reserved: [], damaged: [key] });
        const without = part({ partition: 1, epoch, seq: 4, runs: wanted.slice(1) });
        const written = await opened.append({ commitId: 'four', parts: [without] });
        expect(written).toEqual({ kind: 'committed' });
        expect(await found(opened)).toEqual([['key', '["beta","taken"]', MISMATCH]]);
      },
    );

    it.each(['sort', 'tenant', 'id'])(
      'place of a lane, by its %s: it is passed over',
      async (column) => {
        const { store, execute, table, literal, runs } = await world();
        const values: Readonly<Record<string, string>> = {
          sort: '5',
          tenant: literal('eve'),
          id: idLiteral(target, literal, { ...runs[0].id, seq: 7 }),
        };
        await execute(
          `update ${await table('parked')} set ${column} = ${values[column]} where sort = 1`,
        );
        const opened = await store();
        const query = { partition: 1, lane: 'P1/acme', after: null, upTo: 9, limit: 9 };
        const read = await opened.readParked(query);
        expect(read.runs.map(({ run }) => run.id.seq)).toEqual([4]);
        expect(read.exhausted).toBe(true);
        const [first, ...others] = await found(opened);
        expect([first?.[0], first?.[2], others]).toEqual(['parked', MISMATCH, []]);
        // A page of one goes past the damaged place.
        const seqs: number[] = [];
        for (let after: ParkedCursor | null = null, pages = 0; pages < 5; pages++) {
          const page = await opened.readParked({ ...query, after, limit: 1 });
          seqs.push(...page.runs.map(({ run }) => run.id.seq));
          after = page.last;
          if (page.exhausted) break;
        }
        expect(seqs).toEqual([4]);
      },
    );

    it('run, by its id: the id that was acknowledged is refused', async () => {
      const { store, execute, table, literal, runs } = await world();
      const [{ id }] = runs;
      const other = idLiteral(target, literal, { ...id, seq: 99 });
      await execute(`update ${await table('runs')} set id = ${other} where head like '%first%'`);
      const opened = await store();
      await expectRefused(opened.getRun({ tenant: 'acme', id }), 'damaged');
      const listed = await opened.listRuns({ tenant: 'acme', before: null, limit: 9 });
      expect(listed.map(({ damaged }) => damaged)).toContain(true);
      expect((await found(opened)).map(([kind]) => kind)).toEqual(['run', 'run']);
    });

    it.each([
      ['groups', 'checksum'],
      ['checkpoints', 'checksum'],
      ['runs', 'checksum'],
      ['runs', 'input_checksum'],
      ['ends', 'checksum'],
      ['ends', 'output_checksum'],
      ['inbox', 'checksum'],
      ['definitions', 'checksum'],
      ['keys', 'checksum'],
      ['parked', 'checksum'],
    ])('%s without its %s is damaged, or cannot be written', async (family, column) => {
      const { store, execute, table, runs } = await world();
      const change = execute(`update ${await table(family)} set ${column} = null`);
      const isRefused = await change.then(
        () => false,
        () => true,
      );
      if (target.name === 'PostgreSQL') expect(isRefused).toBe(true);
      if (isRefused) return;
      const opened = await store();
      const reads = [
        () => opened.readGroups({ partition: 1, afterSeq: 0, limit: 9 }),
        () => opened.readCheckpoint(1),
        () => opened.getRun({ tenant: 'acme', id: runs[0].id }),
        () => opened.readInbox({ partitions: [1], limit: 9 }),
        () => opened.getDefinition(JOB),
      ];
      for (const read of reads) await read().catch(() => {});
      const errors = new Set((await found(opened)).map(([, , error]) => error));
      expect(errors).toEqual(new Set(['the checksum is missing']));
    });
  });

  describe(`damaged rows on ${target.name}`, () => {
    it('are forgotten by kind and key or all at once, and listed again when they are read', async () => {
      const { store, damage } = await openWorld(target, '{"');
      await damage('definitions', 'body', "kind = 'job'");
      const opened = await store();
      const read = () => opened.listDefinitions({ ...JOB, after: null, limit: 9 });
      await read();
      const [first] = await found(opened);
      expect(await found(opened)).toHaveLength(2);
      const row = { kind: 'definition', key: first?.[1] as string };
      expect(await opened.forgetDamagedRows(row)).toBe(1);
      expect(await opened.forgetDamagedRows(row)).toBe(0);
      expect(await found(opened)).toHaveLength(1);
      expect(await opened.forgetDamagedRows(null)).toBe(1);
      expect(await found(opened)).toEqual([]);
      await read();
      expect(await found(opened)).toHaveLength(2);
    });

    it('name partitions that are stopped, for every process', async () => {
      const { store, first } = await openWorld(target, '');
      await first.setStopped({ partition: 3, error: 'one' });
      await first.setStopped({ partition: 1, error: 'two' });
      await first.setStopped({ partition: 3, error: 'three' });
      const opened = await store();
      const stopped = await opened.listStopped();
      expect(stopped.map(({ partition, error }) => [partition, error])).toEqual([
        [1, 'two'],
        [3, 'one'],
      ]);
      await opened.setStopped({ partition: 3, error: null });
      expect((await first.listStopped()).map(({ partition }) => partition)).toEqual([1]);
    });
  });
}

const MISMATCH = 'the checksum does not match';

async function found(store: Store): Promise<[string, string, string][]> {
  const rows = await store.listDamagedRows({ after: null, limit: 9 });
  return rows.map(({ kind, key, error }) => [kind, key, error]);
}

function idLiteral(
  target: DamageTarget,
  literal: (value: Uint8Array) => string,
  id: RunId,
): string {
  if (target.name === 'PostgreSQL') return `'${formatRunId(id)}'`;
  const bytes = new Uint8Array(16);
  writeRunId(bytes, 0, id.ms, id.partition, id.seq);
  return literal(bytes);
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
  const parked = [3, 4].map((seq) => runRow({ ms, partition: 1, seq }, { tenant: 'beta' }));
  const keyed = runRow({ ms, partition: 1, seq: 5 }, { tenant: 'beta', keys: ['taken'] });
  const last = part({
    ...{ partition: 1, epoch, seq: 3, atMs: ms, ends: ends.slice(1) },
    runs: [...parked, keyed],
    parked: parked.map((run, i) => parkedRow(run, { sort: i + 1 })),
  });
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
    first: store,
    execute: opened.execute,
    table: opened.table,
    literal: opened.literal,
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
