import { describe, expect, it } from 'vitest';
import type { RunRow, StoredRun } from '../contract/runs.ts';
import { bytes, endRow, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, LONG_MS, openWorld, type World } from './world.ts';

const FIRST = 5;
const LAST = 104;

/**
 * Runs of one request have consecutive ids and are mostly alike. A store may keep them in one row, which
 * no caller can observe.
 */
export function rowBlocksSuite(target: ConformanceTarget): void {
  describe('row blocks', () => {
    it('DUR-02 are found one by one, each as it was submitted and as it ended', async () => {
      const world = await openWorld(target);
      const { runs, owner } = await submit(world);
      // In no order, and of different states: as handlers finish.
      const ended = runs.filter((_, i) => i % 5 !== 0).toSorted((a, b) => mixed(a) - mixed(b));
      const ends = ended.map((run) => endRow(run, endOf(run)));
      await owner.commit({ ends: ends.slice(0, 50) });
      await owner.commit({ ends: ends.slice(50) });
      const endBySeq = new Map(ends.map((end) => [end.id.seq, end]));
      for (const run of runs) {
        const stored = await world.store.getRun({ tenant: 'acme', id: run.id });
        expect(stored).toEqual({ run, end: endBySeq.get(run.id.seq) ?? null });
      }
      const snapshot = await world.snapshot();
      expect(snapshot.runs).toHaveLength(runs.length);
      expect(snapshot.ends).toHaveLength(ends.length);
    });

    it('U103 end where they end: what is beside them, or another tenant’s, is not there', async () => {
      const world = await openWorld(target);
      const { runs } = await submit(world);
      const { ms, partition } = (runs[0] as RunRow).id;
      for (const id of [
        { ms, partition, seq: FIRST - 1 },
        { ms, partition, seq: LAST + 1 },
        { ms: ms + 1, partition, seq: FIRST + 9 },
        { ms, partition: partition + 1, seq: FIRST + 9 },
      ]) {
        expect(await world.store.getRun({ tenant: 'acme', id })).toBeNull();
        const ids = [{ tenant: 'acme', id }];
        expect(await world.store.readRuns({ ids, withInput: true })).toEqual([]);
      }
      for (const { id } of runs) {
        expect(await world.store.getRun({ tenant: 'other', id })).toBeNull();
      }
      const ids = runs.map(({ id }) => ({ tenant: 'other', id }));
      expect(await world.store.readRuns({ ids, withInput: true })).toEqual([]);
    });

    it('are read in any selection, with and without their inputs', async () => {
      const world = await openWorld(target);
      const { runs } = await submit(world);
      for (const wanted of [runs, runs.slice(30, 31), runs.filter((_, i) => i % 41 === 7)]) {
        const ids = wanted.map(({ id, tenant }) => ({ id, tenant })).reverse();
        const inOrder = (rows: RunRow[]) => rows.sort((a, b) => a.id.seq - b.id.seq);
        expect(inOrder(await world.store.readRuns({ ids, withInput: true }))).toEqual(wanted);
        const without = await world.store.readRuns({ ids, withInput: false });
        expect(inOrder(without)).toEqual(wanted.map((run) => ({ ...run, input: null })));
      }
    });

    it('are listed page by page from any one of them, and by whether they have ended', async () => {
      const world = await openWorld(target);
      const { runs, owner } = await submit(world);
      const isEnded = (run: RunRow): boolean => run.id.seq % 9 < 4;
      await owner.commit({ ends: runs.filter(isEnded).map((run) => endRow(run)) });
      for (const [ended, expected] of [
        [undefined, runs],
        [true, runs.filter(isEnded)],
        [false, runs.filter((run) => !isEnded(run))],
      ] as const) {
        for (const limit of [1, 7, 250]) {
          const listed = await listAll(world, { limit, ...(ended === undefined ? {} : { ended }) });
          expect(listed.map(({ run }) => run)).toEqual(expected.toReversed());
          for (const { run, end } of listed) expect(end === null).toBe(!isEnded(run));
        }
      }
      const others = await listAll(world, { limit: 9, job: 'clean' });
      expect(others.map(({ run }) => run)).toEqual(
        runs.filter(({ job }) => job === 'clean').toReversed(),
      );
    });

    it('come back from where they were parked, without those that have ended', async () => {
      const world = await openWorld(target);
      const { runs, owner } = await submit(world);
      await owner.commit({ parked: runs.map((run) => parkedRow(run)) });
      const ended = runs.filter((_, i) => i >= 20 && i < 60 && i % 11 !== 0);
      await owner.commit({ ends: ended.map((run) => endRow(run)) });
      const gone = new Set(ended.map(({ id }) => id.seq));
      for (const limit of [9, 250]) {
        const seen: RunRow[] = [];
        for (let after = null, isDone = false; !isDone; ) {
          const page = await world.store.readParked({
            ...{ partition: 1, lane: 'P1/acme', after, upTo: LAST, limit },
          });
          seen.push(...page.runs.map(({ run }) => run));
          after = page.last as never;
          isDone = page.exhausted;
        }
        expect(seen).toEqual(runs.filter(({ id }) => !gone.has(id.seq)));
      }
    });

    it('DUR-03 I3 are refused where one of them is there already, whole commits at a time', async () => {
      const world = await openWorld(target);
      const { runs, owner } = await submit(world);
      await owner.commit({ ends: runs.slice(10, 40).map((run) => endRow(run)) });
      const at = (seq: number) => runRow({ ...(runs[0] as RunRow).id, seq });
      await expectUnchanged(world, async () => {
        // Overlapping in front, behind, and inside of what is there.
        for (const [from, to] of [
          [1, FIRST] as const,
          [LAST, LAST + 3] as const,
          [40, 44] as const,
        ]) {
          const again = Array.from({ length: to - from + 1 }, (_, i) => at(from + i));
          await expectRefused(owner.commit({ runs: again }), 'invalid');
        }
        for (const [from, to] of [[5, 11] as const, [39, 44] as const, [20, 25] as const]) {
          const again = runs.slice(from, to).map((run) => endRow(run, { state: 'FAILED' }));
          await expectRefused(owner.commit({ ends: again }), 'invalid');
        }
        const twice = [LAST + 1, LAST + 2, LAST + 2, LAST + 3].map(at);
        await expectRefused(owner.commit({ runs: twice }), 'invalid');
      });
      const rest = [...runs.slice(0, 10), ...runs.slice(40)].map((run) => endRow(run));
      expect(await owner.commit({ ends: rest })).toEqual({ kind: 'committed' });
    });

    it('end once, whether a second end comes alone or with others', async () => {
      const world = await openWorld(target);
      const { runs, owner } = await submit(world);
      await owner.commit({ ends: runs.slice(10, 40).map((run) => endRow(run)) });
      await expectUnchanged(world, async () => {
        for (const again of [runs.slice(20, 21), runs.slice(18, 24), runs.slice(8, 12)]) {
          const ends = again.map((run) => endRow(run, { state: 'CANCELLED' }));
          await expectRefused(owner.commit({ ends }), 'invalid');
        }
      });
    });

    it('are counted one by one when their segment is to be sealed', async () => {
      const world = await openWorld(target, { segmentMs: 200 });
      const { runs, owner } = await submit(world);
      const fromMs = world.baseMs - (world.baseMs % 200);
      await owner.commit({ ends: runs.slice(3).map((run) => endRow(run)) });
      await world.waitPast(fromMs + 200);
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: false, openRuns: 3 });
      await owner.commit({ ends: runs.slice(0, 3).map((run) => endRow(run)) });
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: true, openRuns: 0 });
    });

    it('DUR-06 keep a further name until the one that it stands for has ended', async () => {
      const world = await openWorld(target);
      const { runs, owner } = await submit(world);
      const [one, other] = [runs[50] as RunRow, runs[51] as RunRow];
      const aliases = [one, other].map(({ id: run }) => ({
        ...{ tenant: 'acme', key: `alias ${run.seq}`, run },
      }));
      await owner.commit({ aliases, ends: [endRow(one)] });
      const query = { beforeMs: world.baseMs + LONG_MS, after: null, limit: 9 };
      expect(await world.store.forgetKeys(query)).toEqual({ forgotten: 1, last: null });
      const held = (await world.snapshot()).keys.map(({ key }) => key);
      expect(held).toEqual([`alias ${other.id.seq}`]);
    });
  });
}

/** A hundred runs in a row: mostly alike, with inputs of all sorts, one other job, and large ones. */
async function submit(world: World) {
  const owner = await world.own(1);
  const runs = Array.from({ length: LAST - FIRST + 1 }, (_, i) =>
    runRow(
      { ms: world.baseMs, partition: 1, seq: FIRST + i },
      {
        input: inputOf(i),
        // Of an input that is kept elsewhere only the size is here.
        ...(i % 13 === 5 ? { inputBytes: 70_000 } : {}),
        ...(i === 70 || i === 71 ? { job: 'clean' } : {}),
        ...(i === 80 ? { head: '{"labels":["other"]}' } : {}),
      },
    ),
  );
  expect(await owner.commit({ runs })).toEqual({ kind: 'committed' });
  return { owner, runs };
}

function inputOf(i: number): Uint8Array | null {
  if (i % 13 === 5) return null;
  if (i % 13 === 6) return new Uint8Array(0);
  return bytes(i === 33 ? 'large'.repeat(2_000) : `{"number":${i}}`.repeat(1 + (i % 30)));
}

function endOf({ id: { seq } }: RunRow) {
  return {
    state: seq % 17 === 0 ? 'FAILED' : 'SUCCEEDED',
    endedAtMs: 1_700_000_000_000 + seq,
    detail:
      seq % 19 === 0 ? '' : `${seq % 23 === 0 ? '\ufeff' : ''}{"attempts":${seq},"worker":"ä😀"}`,
    output: seq % 7 === 0 ? null : bytes('x'.repeat(seq)),
  };
}

function mixed({ id: { seq } }: RunRow): number {
  return Math.floor(seq / 20) * 100 + ((seq * 7) % 20);
}

async function listAll(world: World, query: { limit: number; ended?: boolean; job?: string }) {
  const seen: StoredRun[] = [];
  for (let before: RunRow['id'] | null = null; ; ) {
    const page: StoredRun[] = await world.store.listRuns({ tenant: 'acme', before, ...query });
    expect(page.length).toBeLessThanOrEqual(query.limit);
    seen.push(...page);
    before = page.at(-1)?.run.id ?? null;
    if (before === null) return seen;
  }
}
