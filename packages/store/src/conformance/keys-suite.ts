import { describe, expect, it } from 'vitest';
import type { HeldKey } from '../contract/keys.ts';
import type { RunRow } from '../contract/runs.ts';
import type { Store } from '../store.ts';
import { endRow, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, LONG_MS, newCommitId, openWorld } from './world.ts';

export function keysSuite(target: ConformanceTarget): void {
  describe('idempotency keys', () => {
    it('DUR-06 names the run that holds a key, and writes nothing', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const first = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['a', 'b'] });
      await owner.commit({ runs: [first] });
      const rows = ['a', 'c', 'b'].map((key, i) =>
        runRow({ ms: world.baseMs, partition: 1, seq: i + 2 }, { keys: [key] }),
      );
      const result = await expectUnchanged(world, () => owner.commit({ runs: rows }));
      expect(byKey(result)).toEqual([
        { tenant: 'acme', key: 'a', run: first.id },
        { tenant: 'acme', key: 'b', run: first.id },
      ]);
    });

    it('DUR-06 finds a key that two runs of the same commit want', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const other = await world.own(2);
      const [one, two, three] = [1, 2, 3].map((seq) =>
        runRow({ ms: world.baseMs, partition: 1, seq }, { keys: [`k${seq}`, 'same'] }),
      ) as [ReturnType<typeof runRow>, ReturnType<typeof runRow>, ReturnType<typeof runRow>];
      const parts = [owner.next({ runs: [one, two] }), other.next({ runs: [three] })];
      const commit = { commitId: newCommitId(), parts };
      const result = await expectUnchanged(world, () => world.store.append(commit));
      expect(byKey(result)).toEqual([{ tenant: 'acme', key: 'same', run: one.id }]);
    });

    it('DUR-06 gives a key to one of two commits at once', async () => {
      const world = await openWorld(target);
      const owners = [await world.own(1), await world.own(2), await world.own(3)];
      const results = await Promise.all(
        owners.map((owner) => {
          const id = { ms: world.baseMs, partition: owner.partition, seq: 1 };
          return owner.commit({ runs: [runRow(id, { keys: ['same'] })] });
        }),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual(['committed', 'keyTaken', 'keyTaken']);
      const winner = results.findIndex(({ kind }) => kind === 'committed') + 1;
      const [held] = await world.store.readKeys([{ tenant: 'acme', key: 'same' }]);
      expect(held?.run.partition).toBe(winner);
    });

    it('U103 keeps the same key of two tenants apart', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const mine = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k'] });
      const theirs = { ...runRow({ ms: world.baseMs, partition: 1, seq: 2 }), tenant: 'other' };
      await owner.commit({ runs: [mine, { ...theirs, keys: ['k'] }] });
      const found = await world.store.readKeys([
        { tenant: 'other', key: 'k' },
        { tenant: 'third', key: 'k' },
      ]);
      expect(found).toEqual([{ tenant: 'other', key: 'k', run: theirs.id }]);
    });

    it('reads many keys at once and leaves absent ones out', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const runs = Array.from({ length: 50 }, (_, i) =>
        runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }, { keys: [`k${i}`] }),
      );
      await owner.commit({ runs });
      const wanted = Array.from({ length: 80 }, (_, i) => ({ tenant: 'acme', key: `k${i}` }));
      const found = await world.store.readKeys(wanted);
      expect(found.map(({ key }) => key).sort()).toEqual(
        Array.from({ length: 50 }, (_, i) => `k${i}`).sort(),
      );
      expect(await world.store.readKeys([])).toEqual([]);
    });

    it('forgets keys of ended runs submitted before a time, in limited steps', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const runs = Array.from({ length: 10 }, (_, i) =>
        runRow({ ms: world.baseMs + i, partition: 1, seq: i + 1 }, { keys: [`k${i}`] }),
      );
      await owner.commit({ runs, ends: runs.map((run) => endRow(run)) });
      const forget = (beforeMs: number, after: HeldKey | null, limit: number) =>
        world.store.forgetKeys({ beforeMs, after, limit });
      const beforeMs = world.baseMs + 6;
      expect(await forget(world.baseMs, null, 99)).toEqual({ forgotten: 0, last: null });
      const last = { tenant: 'acme', key: 'k3', run: runs[3]?.id };
      expect(await forget(beforeMs, null, 4)).toEqual({ forgotten: 4, last });
      expect((await world.snapshot()).keys).toHaveLength(6);
      expect(await forget(beforeMs, last as HeldKey, 4)).toEqual({ forgotten: 2, last: null });
      expect(await forget(beforeMs, null, 4)).toEqual({ forgotten: 0, last: null });
      const left = (await world.snapshot()).keys.map(({ key }) => key);
      expect(left).toEqual(['k6', 'k7', 'k8', 'k9']);
      // The run stays as it was submitted, and its key is free again.
      const again = runRow({ ms: world.baseMs + 20, partition: 1, seq: 99 }, { keys: ['k0'] });
      expect(await owner.commit({ runs: [again] })).toEqual({ kind: 'committed' });
      const first = await world.store.getRun({ tenant: 'acme', id: runs[0]?.id ?? again.id });
      expect(first?.run.keys).toEqual(['k0']);
    });

    it('DUR-06 keeps the keys of a run that has not ended, however old, and passes them by', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const [live, ended, parked] = [1, 2, 3].map((seq) =>
        runRow({ ms: world.baseMs, partition: 1, seq }, { keys: [`a${seq}`, `b${seq}`] }),
      ) as [RunRow, RunRow, RunRow];
      const rows = { ends: [endRow(ended)], parked: [parkedRow(parked)] };
      await owner.commit({ runs: [live, ended, parked], ...rows });
      // In pages that end between two keys of a run, and one that forgets nothing.
      expect(await forgetAll(world.store, world.baseMs + LONG_MS, 1)).toBe(2);
      expect(await forgetAll(world.store, world.baseMs + LONG_MS, 3)).toBe(0);
      const held = (await world.snapshot()).keys.map(({ key }) => key);
      expect(held).toEqual(['a1', 'a3', 'b1', 'b3']);
      const again = runRow({ ms: world.baseMs + 9, partition: 1, seq: 9 }, { keys: ['a1'] });
      expect(byKey(await owner.commit({ runs: [again] }))).toEqual([
        { tenant: 'acme', key: 'a1', run: live.id },
      ]);
      await owner.commit({ ends: [endRow(live), endRow(parked)] });
      expect(await forgetAll(world.store, world.baseMs + LONG_MS, 3)).toBe(4);
      expect(await owner.commit({ runs: [again] })).toEqual({ kind: 'committed' });
    });

    it('forgets the keys of runs whose segment has been dropped', async () => {
      const world = await openWorld(target, { segmentMs: 50 });
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k'] });
      await owner.commit({ runs: [run], ends: [endRow(run)] });
      const fromMs = world.baseMs - (world.baseMs % 50);
      await world.waitPast(fromMs + 50);
      expect(await world.store.sealSegment(fromMs)).toEqual({ sealed: true, openRuns: 0 });
      await world.store.dropSegment(fromMs);
      expect(await forgetAll(world.store, world.baseMs + 1, 9)).toBe(1);
    });

    it('refuses a run that names one key twice', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k', 'k'] });
      await expectRefused(owner.commit({ runs: [run] }), 'invalid');
    });
  });
}

/** A pass over all keys that are old enough; answers how many were forgotten. */
async function forgetAll(store: Store, beforeMs: number, limit: number): Promise<number> {
  let count = 0;
  let after: HeldKey | null = null;
  do {
    const query: Parameters<Store['forgetKeys']>[0] = { beforeMs, after, limit };
    const { forgotten, last } = await store.forgetKeys(query);
    count += forgotten;
    after = last;
  } while (after !== null);
  return count;
}

function byKey(result: { kind: string; keys?: readonly { key: string }[] }) {
  expect(result.kind).toBe('keyTaken');
  return result.keys?.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
