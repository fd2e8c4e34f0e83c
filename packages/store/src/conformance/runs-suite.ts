import { describe, expect, it } from 'vitest';
import type { RunRow, StoredRun } from '../contract/runs.ts';
import { endRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { openWorld, SEGMENT_MS, type World } from './world.ts';

export function runsSuite(target: ConformanceTarget): void {
  describe('runs', () => {
    it('U103 answers for another tenant’s run as for one that is not there', async () => {
      const world = await openWorld(target);
      const { mine, theirs } = await twoTenants(world);
      for (const { id } of theirs) {
        expect(await world.store.getRun({ tenant: 'acme', id })).toBeNull();
      }
      const absent = { ms: world.baseMs, partition: 1, seq: 999 };
      const elsewhere = { ms: world.baseMs + 900 * SEGMENT_MS, partition: 1, seq: 1 };
      expect(await world.store.getRun({ tenant: 'acme', id: absent })).toBeNull();
      expect(await world.store.getRun({ tenant: 'acme', id: elsewhere })).toBeNull();
      const ids = [...mine, ...theirs].map(({ id }) => ({ tenant: 'acme', id }));
      const read = await world.store.readRuns({ ids, withInput: true });
      expect(sequence(read)).toEqual(sequence(mine));
      const listed = await list(world, { limit: 99 });
      expect(listed.every(({ run }) => run.tenant === 'acme')).toBe(true);
      expect(listed).toHaveLength(mine.length);
    });

    it('reads many rows at once, with or without their inputs', async () => {
      const world = await openWorld(target);
      const { mine } = await twoTenants(world);
      const wanted = [...mine.map(({ id }) => id), { ms: world.baseMs, partition: 3, seq: 7 }];
      const ids = wanted.map((id) => ({ tenant: 'acme', id }));
      const inOrder = (rows: RunRow[]) => rows.sort((a, b) => a.id.seq - b.id.seq);
      const withInput = await world.store.readRuns({ ids, withInput: true });
      expect(inOrder(withInput)).toEqual(mine);
      const without = await world.store.readRuns({ ids, withInput: false });
      expect(inOrder(without)).toEqual(mine.map((run) => ({ ...run, input: null })));
      expect(await world.store.readRuns({ ids: [], withInput: true })).toEqual([]);
    });

    it('lists newest first, page by page, also across segments and partitions', async () => {
      const world = await openWorld(target);
      const { store, baseMs } = world;
      await store.ensureSegments({ untilMs: baseMs + 3 * SEGMENT_MS });
      const owner = await world.own(1);
      const rows = Array.from({ length: 30 }, (_, i) =>
        // Two runs in each millisecond, told apart by their partition.
        runRow({ ms: baseMs + (i >> 1) * 11_000, partition: 1 + (i & 1), seq: 30 - i }),
      );
      await owner.commit({ runs: rows.slice(10) });
      await owner.commit({ runs: rows.slice(0, 10) });
      const seen: StoredRun[] = [];
      let before: RunRow['id'] | null = null;
      for (;;) {
        const page: StoredRun[] = await list(world, { before, limit: 7 });
        seen.push(...page);
        before = page.at(-1)?.run.id ?? null;
        if (before === null) break;
        expect(page.length).toBeLessThanOrEqual(7);
      }
      expect(seen.map(({ run }) => run)).toEqual(rows.toReversed());
    });

    it('filters by job and by whether a run has ended', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const rows = Array.from({ length: 12 }, (_, i) =>
        runRow(
          { ms: world.baseMs + i, partition: 1, seq: i + 1 },
          { job: i % 3 === 0 ? 'clean' : 'report' },
        ),
      );
      const ended = rows.filter((_, i) => i % 2 === 0);
      await owner.commit({ runs: rows, ends: ended.map((run) => endRow(run)) });
      const seqs = async (query: { job?: string; ended?: boolean; limit?: number }) =>
        (await list(world, { limit: 99, ...query })).map(({ run }) => run.id.seq);
      expect(await seqs({ job: 'clean' })).toEqual([10, 7, 4, 1]);
      expect(await seqs({ ended: true })).toEqual([11, 9, 7, 5, 3, 1]);
      expect(await seqs({ ended: false })).toEqual([12, 10, 8, 6, 4, 2]);
      expect(await seqs({ job: 'clean', ended: true })).toEqual([7, 1]);
      expect(await seqs({ job: 'clean', ended: false, limit: 1 })).toEqual([10]);
      expect(await seqs({ job: 'absent' })).toEqual([]);
      const [newest] = await list(world, { ended: true, limit: 1 });
      expect(newest).toEqual({ run: rows[10], end: endRow(rows[10] as RunRow) });
    });

    it('lists the runs of a range of ids, also where the range begins within a row or a segment', async () => {
      const world = await openWorld(target);
      const { store, baseMs } = world;
      await store.ensureSegments({ untilMs: baseMs + 3 * SEGMENT_MS });
      const owner = await world.own(1);
      const at = (i: number) => ({ ms: baseMs + (i >> 2) * 9_000, partition: 1, seq: i + 1 });
      const rows = Array.from({ length: 24 }, (_, i) => runRow(at(i)));
      await owner.commit({ runs: rows });
      for (const [from, to] of [
        [0, 24],
        [5, 17],
        [6, 7],
        [9, 9],
        [22, 24],
      ] as const) {
        const before = to === 24 ? null : at(to);
        const found = await list(world, { from: at(from), before, limit: 99 });
        expect(found.map(({ run }) => run)).toEqual(rows.slice(from, to).toReversed());
      }
      const ofMs = { ms: at(8).ms, partition: 0, seq: 0 };
      const since = await list(world, { from: ofMs, before: null, limit: 3, ended: false });
      expect(since.map(({ run }) => run.id.seq)).toEqual([24, 23, 22]);
      const page = await list(world, { from: ofMs, before: at(10), limit: 3, ended: false });
      expect(page.map(({ run }) => run.id.seq)).toEqual([10, 9]);
    });

    it('keeps the largest run number and every class', async () => {
      const world = await openWorld(target);
      const owner = await world.own(4095);
      const rows = ([0, 1, 2] as const).map((urgency) =>
        runRow(
          { ms: world.baseMs, partition: 4095, seq: Number.MAX_SAFE_INTEGER - urgency },
          { class: urgency, jobVersion: 2_000_000_000, head: '' },
        ),
      );
      await owner.commit({ runs: rows });
      expect((await list(world, { limit: 9 })).map(({ run }) => run)).toEqual(rows);
    });
  });
}

function list(
  world: World,
  query: {
    before?: RunRow['id'] | null;
    from?: RunRow['id'];
    limit: number;
    job?: string;
    ended?: boolean;
  },
) {
  return world.store.listRuns({ tenant: 'acme', before: null, ...query });
}

function sequence(rows: readonly RunRow[]): number[] {
  return rows.map(({ id }) => id.seq).sort((a, b) => a - b);
}

async function twoTenants(world: World) {
  const owner = await world.own(1);
  const rows = Array.from({ length: 10 }, (_, i) =>
    runRow(
      { ms: world.baseMs + i, partition: 1, seq: i + 1 },
      { tenant: i % 2 === 0 ? 'acme' : 'other' },
    ),
  );
  await owner.commit({ runs: rows, ends: rows.slice(0, 4).map((run) => endRow(run)) });
  const mine = rows.filter(({ tenant }) => tenant === 'acme');
  return { mine, theirs: rows.filter(({ tenant }) => tenant === 'other') };
}
