import { describe, expect, it } from 'vitest';
import { bytes, endRow, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, openWorld, SEGMENT_MS, type World } from './world.ts';

/** Short, so that a store with a clock of its own reaches the end of a segment soon. */
const BRIEF_MS = 200;

export function segmentsSuite(target: ConformanceTarget): void {
  describe('segments', () => {
    it('are made ahead, side by side, and only once', async () => {
      const world = await openWorld(target);
      const untilMs = world.baseMs + 5 * SEGMENT_MS;
      await world.store.ensureSegments({ untilMs });
      const segments = await world.store.listSegments();
      expect(segments[0]?.fromMs).toBeLessThanOrEqual(world.baseMs);
      expect(segments.at(-1)?.toMs).toBeGreaterThan(untilMs);
      for (const [i, { fromMs, toMs, sealed }] of segments.entries()) {
        expect(fromMs % SEGMENT_MS).toBe(0);
        expect(toMs).toBe(fromMs + SEGMENT_MS);
        expect(sealed).toBe(false);
        if (i > 0) expect(fromMs).toBe(segments[i - 1]?.toMs);
      }
      await expectUnchanged(world, () => world.store.ensureSegments({ untilMs }));
      const owner = await world.own(1);
      const run = runRow({ ms: untilMs, partition: 1, seq: 1 });
      expect(await owner.commit({ runs: [run] })).toEqual({ kind: 'committed' });
    });

    it('are made by the commit that lacks one: work is never refused for that', async () => {
      const world = await openWorld(target);
      const far = world.baseMs + 40 * SEGMENT_MS;
      const owner = await world.own(1);
      const run = runRow({ ms: far, partition: 1, seq: 1 });
      expect(await owner.commit({ runs: [run] })).toEqual({ kind: 'committed' });
      expect(await world.store.getRun({ tenant: run.tenant, id: run.id })).not.toBeNull();
      const starts = (await world.store.listSegments()).map(({ fromMs }) => fromMs);
      expect(starts).toContain(far - (far % SEGMENT_MS));
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
    });

    it('are sealed when they lie in the past and every run has ended', async () => {
      const world = await openWorld(target, { segmentMs: BRIEF_MS });
      const { owner, runs, segment } = await fillSegment(world);
      const { fromMs, toMs } = segment;
      expect(await world.store.sealSegment(fromMs)).toMatchObject({ sealed: false });
      await world.waitPast(toMs);
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: false, openRuns: 3 });
      await owner.commit({ ends: runs.slice(1).map((run) => endRow(run)) });
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: false, openRuns: 1 });
      await owner.commit({ ends: runs.slice(0, 1).map((run) => endRow(run)) });
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: true, openRuns: 0 });
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: true, openRuns: 0 });
      const listed = await world.store.listSegments();
      const sealed = listed.find((other) => other.fromMs === fromMs);
      expect(sealed).toMatchObject({ sealed: true });
      expect(sealed?.sealedAtMs).toBeGreaterThanOrEqual(toMs);
      expect(sealed?.sealedAtMs).toBeLessThanOrEqual(await world.store.now());
      for (const other of listed) if (!other.sealed) expect(other.sealedAtMs).toBeUndefined();
      expect((await world.snapshot()).runs).toHaveLength(3);
    });

    it('take no further row once sealed', async () => {
      const world = await openWorld(target, { segmentMs: BRIEF_MS });
      const { owner, runs, segment } = await fillSegment(world);
      await owner.commit({ ends: runs.map((run) => endRow(run)) });
      await world.waitPast(segment.toMs);
      await world.store.sealSegment(segment.fromMs);
      const late = runRow({ ms: segment.fromMs, partition: 1, seq: 99 });
      await expectUnchanged(world, async () => {
        await expectRefused(owner.commit({ runs: [late] }), 'invalid');
        await expectRefused(owner.commit({ ends: [endRow(late)] }), 'invalid');
        await expectRefused(owner.commit({ parked: [parkedRow(late)] }), 'invalid');
      });
    });

    it('are dropped whole, and only when sealed', async () => {
      const world = await openWorld(target, { segmentMs: BRIEF_MS });
      const { owner, runs, segment } = await fillSegment(world);
      const { fromMs, toMs } = segment;
      const later = runRow({ ms: toMs, partition: 1, seq: 50 });
      await owner.commit({ runs: [later], parked: [parkedRow(later)] });
      await expectRefused(world.store.dropSegment(fromMs), 'invalid');
      await owner.commit({ ends: runs.map((run) => endRow(run)) });
      await world.waitPast(toMs);
      await expectRefused(world.store.dropSegment(fromMs), 'invalid');
      await world.store.sealSegment(fromMs);
      await world.store.dropSegment(fromMs);
      const snapshot = await world.snapshot();
      expect(snapshot.runs).toHaveLength(1);
      expect(snapshot.ends).toEqual([]);
      expect(snapshot.parked).toHaveLength(1);
      expect(snapshot.segments.some((other) => other.fromMs === fromMs)).toBe(false);
      // The key outlives the run: a repeat of the submission is still recognised.
      expect(snapshot.keys).toHaveLength(1);
      const id = runs[0]?.id ?? later.id;
      expect(await world.store.getRun({ tenant: 'acme', id })).toBeNull();
      const listed = await world.store.listRuns({ tenant: 'acme', before: null, limit: 9 });
      expect(listed.map(({ run }) => run)).toEqual([later]);
    });

    it('RET-01 take no definition with them when they are dropped', async () => {
      const world = await openWorld(target, { segmentMs: BRIEF_MS });
      const keys = ['job', 'schedule'].map((kind) => ({ tenant: 'acme', kind, name: 'nightly' }));
      for (const key of keys) {
        for (const expectedVersion of [0, 1]) {
          const body = `{"n":${expectedVersion}}`;
          await world.store.putDefinition({ ...key, expectedVersion, body, author: 'ann' });
        }
      }
      const { owner, runs, segment } = await fillSegment(world);
      await owner.commit({ ends: runs.map((run) => endRow(run)) });
      await world.waitPast(segment.toMs);
      await world.store.sealSegment(segment.fromMs);
      await world.store.dropSegment(segment.fromMs);
      expect((await world.snapshot()).runs).toEqual([]);
      for (const key of keys) {
        const versions = await world.store.listDefinitionVersions({ ...key, after: 0, limit: 9 });
        expect(versions.map(({ version, body }) => [version, body])).toEqual([
          [1, '{"n":0}'],
          [2, '{"n":1}'],
        ]);
      }
    });

    it('can be sealed and dropped by two nodes at once, and again after that', async () => {
      const world = await openWorld(target, { segmentMs: BRIEF_MS });
      const { owner, runs, segment } = await fillSegment(world);
      const { fromMs, toMs } = segment;
      await owner.commit({ ends: runs.map((run) => endRow(run)) });
      await world.waitPast(toMs);
      const sweep = async () => {
        const result = await world.store.sealSegment(fromMs);
        await world.store.dropSegment(fromMs);
        return result;
      };
      const done = { sealed: true, openRuns: 0 };
      expect(await Promise.all([sweep(), sweep(), sweep()])).toEqual([done, done, done]);
      expect(await expectUnchanged(world, sweep)).toEqual(done);
      expect((await world.snapshot()).runs).toEqual([]);
    });

    it('tell which of them is the newest that holds a run', async () => {
      const world = await openWorld(target);
      expect(await world.store.lastUsedSegment()).toBeNull();
      const owner = await world.own(1);
      const near = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      const far = runRow({ ms: world.baseMs + 7 * SEGMENT_MS, partition: 1, seq: 2 });
      for (const run of [near, far]) {
        await owner.commit({ runs: [run] });
        const fromMs = run.id.ms - (run.id.ms % SEGMENT_MS);
        const toMs = fromMs + SEGMENT_MS;
        expect(await world.store.lastUsedSegment()).toEqual({ fromMs, toMs, sealed: false });
      }
      await world.store.ensureSegments({ untilMs: world.baseMs + 10 * SEGMENT_MS });
      expect((await world.store.lastUsedSegment())?.fromMs).toBeLessThanOrEqual(far.id.ms);
    });

    it('that are not there can be neither sealed nor dropped', async () => {
      const world = await openWorld(target);
      const fromMs = world.baseMs - (world.baseMs % SEGMENT_MS) + 900 * SEGMENT_MS;
      await expectRefused(world.store.sealSegment(fromMs), 'invalid');
      await expectRefused(world.store.dropSegment(fromMs), 'invalid');
    });
  });

  describe('group segments', () => {
    it('stay until every checkpoint has passed them and they are old', async () => {
      const world = await openWorld(target);
      const one = await world.own(1);
      const two = await world.own(2);
      for (let i = 0; i < 20; i++) {
        await one.commit({ atMs: world.baseMs });
        await two.commit({ atMs: world.baseMs });
      }
      const beforeMs = world.baseMs + 900 * SEGMENT_MS;
      const nothing = () => world.store.dropGroupsBefore({ beforeMs });
      expect(await expectUnchanged(world, nothing)).toBe(0);
      const { partition, epoch, lastSeq } = one;
      const checkpoint = { partition, epoch, seq: lastSeq, chunks: [bytes('state')] };
      await world.store.writeCheckpoint(checkpoint);
      await world.store.writeCheckpoint({ ...checkpoint, partition: 2, epoch: two.epoch, seq: 10 });
      const young = () => world.store.dropGroupsBefore({ beforeMs: world.baseMs });
      expect(await expectUnchanged(world, young)).toBe(0);
      await world.store.dropGroupsBefore({ beforeMs });
      const kept = await world.store.readGroups({ partition: 2, afterSeq: 10, limit: 99 });
      expect(kept.map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
    });

    it('DUR-10 leave the numbering and the fence in place when they go', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      for (let i = 0; i < 20; i++) await owner.commit({ atMs: world.baseMs });
      const { partition, epoch, lastSeq } = owner;
      await world.store.writeCheckpoint({ partition, epoch, seq: lastSeq, chunks: [] });
      await world.store.dropGroupsBefore({ beforeMs: world.baseMs + 900 * SEGMENT_MS });
      const again = owner.next({ seq: 5 });
      expect(await world.store.append({ commitId: 'stale', parts: [again] })).toEqual({
        kind: 'fenced',
        partitions: [1],
      });
      const next = await world.own(1);
      expect(next.lastSeq).toBe(lastSeq + 1);
      expect(await next.commit()).toEqual({ kind: 'committed' });
    });
  });
}

/** Three runs in the segment of the present, one of them with a key, one parked. */
async function fillSegment(world: World) {
  const nowMs = await world.store.now();
  await world.store.ensureSegments({ untilMs: nowMs + 2 * BRIEF_MS });
  const segments = await world.store.listSegments();
  // The next one: the present segment may end while the test is still filling it.
  const segment = segments.find(({ fromMs }) => fromMs > nowMs);
  if (segment === undefined) throw new Error('no segment ahead');
  const owner = await world.own(1);
  const runs = [1, 2, 3].map((seq) =>
    runRow(
      { ms: segment.fromMs + seq, partition: 1, seq },
      { keys: seq === 1 ? ['k'] : [], tenant: seq === 3 ? 'other' : 'acme' },
    ),
  );
  await owner.commit({ runs, parked: runs.slice(1, 2).map((run) => parkedRow(run)) });
  await world.store.ensureSegments({ untilMs: segment.toMs + BRIEF_MS });
  return { owner, runs, segment };
}
