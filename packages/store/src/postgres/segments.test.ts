import { expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { endRow, logLine, part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import type { CommitPart } from '../contract/journal.ts';
import { execute, openStore } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';
const SEGMENT_MS = 1_000;

/** A store with one owned partition; its runs lie in the past, so that segments can be sealed. */
async function setup(options: { groupSegmentSize?: number; segmentMs?: number } = {}) {
  const store = await openStore({ url, segmentMs: SEGMENT_MS, ...options });
  onTestFinished(() => store.close());
  const request = { partition: 1, owner: 'a', ttlMs: 600_000, commitId: 'fence' };
  const lease = await store.acquireLease(request);
  if (lease.kind !== 'acquired') throw new Error('held');
  let { seq } = lease;
  const commit = async (content: Partial<CommitPart>) => {
    const next = part({ partition: 1, epoch: lease.epoch, seq: seq + 1, ...content });
    const result = await store.append({ commitId: `commit ${seq + 1}`, parts: [next] });
    if (result.kind === 'committed') seq += 1;
    return result;
  };
  const nowMs = await store.now();
  const startMs = nowMs - (nowMs % SEGMENT_MS);
  return { store, commit, startMs, lease, lastSeq: () => seq };
}

describePostgres('segments as tables', () => {
  it('are made by the commit that needs them: a commit never fails for want of one', async () => {
    // Segments of an hour: with short ones the clock would walk into the next during the test.
    const segmentMs = 3_600_000;
    const { store, commit } = await setup({ segmentMs });
    const startMs = Math.floor((await store.now()) / segmentMs) * segmentMs;
    const offsets = async () =>
      (await store.listSegments()).map(({ fromMs }) => (fromMs - startMs) / segmentMs);
    expect(await offsets()).toEqual([]);
    const runs = [0, 5, 1, -90].map((at, i) =>
      runRow({ ms: startMs + at * segmentMs, partition: 1, seq: i + 1 }),
    );
    expect(await commit({ runs })).toEqual({ kind: 'committed' });
    expect(await offsets()).toEqual([-90, 0, 1, 5]);
    await store.ensureSegments({ untilMs: startMs + 5 * segmentMs });
    expect(await offsets()).toEqual([-90, -1, 0, 1, 2, 3, 4, 5]);
  });

  it('are sealed and dropped by two nodes at once', async () => {
    const { store, commit, startMs } = await setup();
    const other = await openStore({ url, segmentMs: SEGMENT_MS, schema: store.schema });
    onTestFinished(() => other.close());
    for (let i = 0; i < 8; i++) {
      const run = runRow({ ms: startMs - (40 - i) * SEGMENT_MS, partition: 1, seq: i + 1 });
      await commit({ runs: [run], ends: [endRow(run)] });
    }
    const sweep = async (node: typeof store) => {
      for (const { fromMs } of await node.listSegments()) {
        expect(await node.sealSegment(fromMs)).toEqual({ sealed: true, openRuns: 0 });
        await node.dropSegment(fromMs);
      }
    };
    await Promise.all([sweep(store), sweep(other)]);
    expect(await store.listSegments()).toEqual([]);
  });

  it('that were dropped are not made again, not even by a late commit', async () => {
    const { store, commit, startMs } = await setup();
    const run = runRow({ ms: startMs - 10 * SEGMENT_MS, partition: 1, seq: 1 });
    await commit({ runs: [run], ends: [endRow(run)] });
    const [segment] = await store.listSegments();
    if (segment === undefined) throw new Error('no segment');
    expect(await store.sealSegment(segment.fromMs)).toEqual({ sealed: true, openRuns: 0 });
    await store.dropSegment(segment.fromMs);
    await expectRefused(commit({ runs: [runRow({ ...run.id, seq: 2 })] }), 'invalid');
    expect(await store.listSegments()).toEqual([]);
    expect(await commit({})).toEqual({ kind: 'committed' });
  });

  it('may be cut anew with another width, around what is there', async () => {
    const { store, commit, startMs } = await setup();
    await store.ensureSegments({ untilMs: startMs + 3 * SEGMENT_MS });
    const wider = await openStore({ url, schema: store.schema, segmentMs: 10 * SEGMENT_MS });
    onTestFinished(() => wider.close());
    await wider.ensureSegments({ untilMs: startMs + 45 * SEGMENT_MS });
    const segments = await wider.listSegments();
    expect(segments.at(-1)?.toMs).toBeGreaterThan(startMs + 45 * SEGMENT_MS);
    for (const [i, { fromMs }] of segments.entries()) {
      if (i > 0) expect(fromMs).toBe(segments[i - 1]?.toMs);
    }
    const runs = Array.from({ length: 45 }, (_, i) =>
      runRow({ ms: startMs + i * SEGMENT_MS, partition: 1, seq: i + 1 }),
    );
    expect(await commit({ runs })).toEqual({ kind: 'committed' });
    // Also by a commit: the rest of a wide piece whose beginning is there in narrow ones.
    const other = await setup({ segmentMs: 10 * SEGMENT_MS });
    const before = await openStore({ url, schema: other.store.schema, segmentMs: SEGMENT_MS });
    onTestFinished(() => before.close());
    const wideMs = Math.ceil(startMs / SEGMENT_MS / 10) * 10 * SEGMENT_MS;
    await before.ensureSegments({ untilMs: wideMs });
    const late = [0, 4, 9].map((at, i) =>
      runRow({ ms: wideMs + at * SEGMENT_MS, partition: 1, seq: i + 1 }),
    );
    expect(await other.commit({ runs: late })).toEqual({ kind: 'committed' });
  });

  it('U080 are dropped as whole tables while commits go on, and no commit fails of it', async () => {
    const { store, commit, startMs } = await setup();
    const old = [-30, -20, -10].map((at, i) =>
      runRow({ ms: startMs + at * SEGMENT_MS, partition: 1, seq: i + 1 }),
    );
    await commit({ runs: old, ends: old.map((run) => endRow(run)) });
    let isOver = false;
    let commits = 0;
    const writing = (async () => {
      for (let i = 0; !isOver; i++) {
        const run = runRow({ ms: startMs + (i % 3) * SEGMENT_MS, partition: 1, seq: 100 + i });
        expect(await commit({ runs: [run], ends: [endRow(run)] })).toEqual({ kind: 'committed' });
        commits++;
      }
    })();
    for (const { fromMs } of (await store.listSegments()).slice(0, 3)) {
      expect(await store.sealSegment(fromMs)).toMatchObject({ sealed: true });
      await store.dropSegment(fromMs);
    }
    isOver = true;
    await writing;
    expect(commits).toBeGreaterThan(0);
    const tables = `select relname from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = '${store.schema}' and relname ~ '^(runs|ends|parked)_\\d+$'`;
    expect((await execute(url, tables)).rowCount).toBe(3 * (await store.listSegments()).length);
  });

  it('are sealed and dropped while logs are written, and no line is refused or left behind', async () => {
    const { store, commit, startMs } = await setup();
    const old = [-30, -20, -10].map((at, i) =>
      runRow({ ms: startMs + at * SEGMENT_MS, partition: 1, seq: i + 1 }),
    );
    const young = runRow({ ms: startMs, partition: 1, seq: 9 });
    await commit({ runs: [...old, young], ends: old.map((run) => endRow(run)) });
    let isOver = false;
    const write = async (writer: number): Promise<number> => {
      let written = 0;
      for (; !isOver; written++) {
        const place = { attempt: writer, number: written };
        await store.appendLogs([...old, young].map(({ id }) => logLine(id, place)));
      }
      return written;
    };
    const writers = [write(1), write(2)];
    for (const { fromMs } of (await store.listSegments()).slice(0, 3)) {
      expect(await store.sealSegment(fromMs)).toMatchObject({ sealed: true });
      const count = `select count(*)::int as count from ${store.schema}.logs_${fromMs}`;
      const sealed = (await execute(url, count)).rows[0]?.count as number;
      await store.appendLogs(old.map(({ id }) => logLine(id, { attempt: 3 })));
      expect((await execute(url, count)).rows[0]?.count).toBe(sealed);
      await store.dropSegment(fromMs);
    }
    isOver = true;
    const written = await Promise.all(writers);
    for (const [i, count] of written.entries()) {
      const query = { tenant: 'acme', run: young.id, task: 0, attempt: i + 1 };
      expect(await store.readLogs({ ...query, after: null, limit: 100_000 })).toHaveLength(count);
    }
    for (const { id } of old) {
      expect(await store.readLogs({ tenant: 'acme', run: id, after: null, limit: 9 })).toEqual([]);
    }
    const tables = `select relname from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = '${store.schema}' and relname ~ '^logs_\\d+$'`;
    expect((await execute(url, tables)).rowCount).toBe((await store.listSegments()).length);
  });

  it('DUR-10 of groups: a stale commit does not come back to life where its rival was dropped', async () => {
    const { store, commit, lease, lastSeq } = await setup({ groupSegmentSize: 4 });
    const stale = part({ partition: 1, epoch: lease.epoch, seq: lastSeq() + 1 });
    for (let i = 0; i < 9; i++) await commit({ atMs: 1 });
    const { epoch } = lease;
    await store.writeCheckpoint({ partition: 1, epoch, seq: lastSeq(), chunks: [] });
    expect(await store.dropGroupsBefore({ beforeMs: 2 })).toBeGreaterThan(0);
    // The fence itself is too young to go, but what the stale commit would collide with is gone.
    const answer = await store.append({ commitId: 'stale', parts: [stale] });
    expect(answer).toEqual({ kind: 'fenced', partitions: [1] });
    expect(await commit({ atMs: 1 })).toEqual({ kind: 'committed' });
    await expectRefused(
      store.append({ commitId: 'gap', parts: [{ ...stale, seq: lastSeq() + 9 }] }),
      'invalid',
    );
  });
});
