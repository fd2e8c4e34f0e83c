import { describe, expect, it } from 'vitest';
import type { ParkedCursor, ParkedRun } from '../contract/parked.ts';
import type { RunRow } from '../contract/runs.ts';
import { endRow, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { openWorld, SEGMENT_MS, type World } from './world.ts';

const LANE = 'P1/acme';
const NO_END = Number.MAX_SAFE_INTEGER;

export function parkedSuite(target: ConformanceTarget): void {
  describe('parked runs', () => {
    it('come in order of (sort, id), page by page, whatever segment they lie in', async () => {
      const world = await openWorld(target);
      const rows = await parkMany(world);
      const expected = rows.toSorted((a, b) => sortOf(a) - sortOf(b) || a.id.ms - b.id.ms);
      for (const limit of [1, 7, 99]) {
        const { runs } = await readAll(world, { limit });
        expect(runs.map(({ run }) => run)).toEqual(expected);
        expect(runs.map(({ sort }) => sort)).toEqual(expected.map(sortOf));
      }
    });

    it('stop at upTo, which is included, and go on after the cursor', async () => {
      const world = await openWorld(target);
      await parkMany(world);
      const { runs } = await readAll(world, { limit: 5, upTo: 3 });
      expect(runs.map(({ sort }) => sort)).toEqual([
        0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
      ]);
      const last = runs.at(-1);
      const after = last === undefined ? null : { sort: last.sort, id: last.run.id };
      const next = await readAll(world, { limit: 5, after });
      expect(next.runs.map(({ sort }) => sort)).toEqual([4, 4, 4, 4]);
      const none = await page(world, { limit: 5, upTo: -1 });
      expect(none).toEqual({ runs: [], last: null, exhausted: true });
    });

    it('leave out runs that have ended, and pass them', async () => {
      const world = await openWorld(target);
      const rows = await parkMany(world);
      const owner = await world.own(1);
      const ended = rows.filter((row) => sortOf(row) < 4);
      await owner.commit({ ends: ended.map((run) => endRow(run)) });
      const { runs, pages } = await readAll(world, { limit: 3 });
      expect(runs.map(({ sort }) => sort)).toEqual([4, 4, 4, 4]);
      expect(pages).toBeLessThan(10);
      const one = await page(world, { limit: 99 });
      expect(one.last).not.toBeNull();
      expect(one.exhausted).toBe(true);
    });

    it('come in pages that end with the run whose input reaches the bytes', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      // Small inputs that may share a row, and large ones that do not.
      const sizes = [10, 10, 10, 9_000, 10, 10, 70_000, 0, 5_000, 5_000, 10];
      const runs = sizes.map((size, i) =>
        runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }, { input: new Uint8Array(size) }),
      );
      await owner.commit({ runs, parked: runs.map((run) => parkedRow(run)) });
      for (const bytes of [1, 25, 9_500, 20_000, 1_000_000]) {
        const pages = await readPages(world, { limit: 99, bytes });
        expect(pages.flat().map(({ run }) => run)).toEqual(runs);
        for (const each of pages) {
          const before = each.slice(0, -1).reduce((sum, { run }) => sum + run.inputBytes, 0);
          // Runs that share a row count by the average of the row.
          expect(before).toBeLessThan(bytes + 30);
        }
      }
      expect(await readPages(world, { limit: 99, bytes: 1_000_000 })).toHaveLength(1);
      expect((await readPages(world, { limit: 99, bytes: 9_500 })).length).toBeGreaterThan(2);
    });

    it('come without their inputs where no bytes are left for them, ended runs left out', async () => {
      const world = await openWorld(target);
      const rows = await parkMany(world);
      const owner = await world.own(1);
      const ended = rows.filter((row) => sortOf(row) === 2);
      await owner.commit({ ends: ended.map((run) => endRow(run)) });
      const { runs, pages } = await readAll(world, { limit: 7, bytes: 0 });
      const expected = rows
        .filter((row) => sortOf(row) !== 2)
        .toSorted((a, b) => sortOf(a) - sortOf(b) || a.id.ms - b.id.ms);
      expect(runs.map(({ run }) => run)).toEqual(expected.map((run) => ({ ...run, input: null })));
      expect(pages).toBe(3);
    });

    it('that have ended do not stop a page short of bytes for good', async () => {
      const world = await openWorld(target);
      const rows = await parkMany(world);
      const owner = await world.own(1);
      await owner.commit({ ends: rows.map((run) => endRow(run)) });
      expect((await readAll(world, { limit: 99, bytes: 1 })).runs).toEqual([]);
    });

    it('belong to one lane of one partition', async () => {
      const world = await openWorld(target);
      const one = await world.own(1);
      const two = await world.own(2);
      const mine = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      const theirs = runRow({ ms: world.baseMs, partition: 2, seq: 1 }, { tenant: 'other' });
      await one.commit({ runs: [mine], parked: [parkedRow(mine), parkedRow(mine, { lane: 'x' })] });
      await two.commit({ runs: [theirs], parked: [parkedRow(theirs)] });
      expect((await page(world, { limit: 9 })).runs).toEqual([{ sort: 1, run: mine }]);
      expect((await page(world, { limit: 9, lane: 'x' })).runs).toEqual([{ sort: 1, run: mine }]);
      const other = await page(world, { limit: 9, partition: 2 });
      expect(other.runs).toEqual([{ sort: 1, run: theirs }]);
      const empty = { runs: [], last: null, exhausted: true };
      expect(await page(world, { limit: 9, lane: 'P1' })).toEqual(empty);
      expect(await page(world, { limit: 9, partition: 3 })).toEqual(empty);
    });

    it('DUR-03 are there once when parked again at the same place', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      await owner.commit({ runs: [run], parked: [parkedRow(run)] });
      const again = await owner.commit({ parked: [parkedRow(run), parkedRow(run, { sort: 9 })] });
      expect(again).toEqual({ kind: 'committed' });
      expect((await readAll(world, { limit: 9 })).runs.map(({ sort }) => sort)).toEqual([1, 9]);
    });

    it('may lie at any whole sort, below zero and far ahead', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const sorts = [-5, 0, 8_640_000_000_000_000, Number.MAX_SAFE_INTEGER];
      const runs = sorts.map((_, i) => runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }));
      const parked = runs.map((run, i) => parkedRow(run, { sort: sorts[i] ?? 0 }));
      await owner.commit({ runs, parked: parked.toReversed() });
      expect((await readAll(world, { limit: 2 })).runs.map(({ sort }) => sort)).toEqual(sorts);
    });
  });
}

interface Query {
  partition?: number;
  lane?: string;
  after?: ParkedCursor | null;
  upTo?: number;
  limit: number;
  bytes?: number;
}

function page(world: World, query: Query) {
  return world.store.readParked({ partition: 1, lane: LANE, after: null, upTo: NO_END, ...query });
}

async function readPages(world: World, query: Query): Promise<ParkedRun[][]> {
  const pages: ParkedRun[][] = [];
  for (let after: ParkedCursor | null = null; ; ) {
    const { runs, last, exhausted } = await page(world, { ...query, after });
    pages.push(runs);
    if (exhausted) return pages;
    after = last;
  }
}

async function readAll(world: World, query: Query) {
  const runs: { sort: number; run: RunRow }[] = [];
  let after = query.after ?? null;
  let pages = 0;
  for (;;) {
    const answer = await page(world, { ...query, after });
    runs.push(...answer.runs);
    expect(answer.runs.length).toBeLessThanOrEqual(query.limit);
    pages++;
    if (answer.exhausted) return { runs, pages };
    expect(answer.last).not.toBeNull();
    after = answer.last;
  }
}

const sortOf = (run: RunRow): number => run.id.seq % 5;

/** Twenty runs over three segments, four at each of the sorts 0 to 4. */
async function parkMany(world: World): Promise<RunRow[]> {
  await world.store.ensureSegments({ untilMs: world.baseMs + 3 * SEGMENT_MS });
  const owner = await world.own(1);
  const rows = Array.from({ length: 20 }, (_, i) =>
    runRow({ ms: world.baseMs + ((i * 7) % 20) * 6_000, partition: 1, seq: i + 1 }),
  );
  for (const half of [rows.slice(0, 10), rows.slice(10)]) {
    await owner.commit({
      runs: half,
      parked: half.map((run) => parkedRow(run, { sort: sortOf(run) })),
    });
  }
  return rows;
}
