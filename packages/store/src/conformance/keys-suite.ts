import { describe, expect, it } from 'vitest';
import { runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, newCommitId, openWorld } from './world.ts';

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

    it('forgets keys of runs submitted before a time, in limited steps', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const runs = Array.from({ length: 10 }, (_, i) =>
        runRow({ ms: world.baseMs + i, partition: 1, seq: i + 1 }, { keys: [`k${i}`] }),
      );
      await owner.commit({ runs });
      const beforeMs = world.baseMs + 6;
      expect(await world.store.forgetKeys({ beforeMs: world.baseMs, limit: 99 })).toBe(0);
      expect(await world.store.forgetKeys({ beforeMs, limit: 4 })).toBe(4);
      expect((await world.snapshot()).keys).toHaveLength(6);
      expect(await world.store.forgetKeys({ beforeMs, limit: 4 })).toBe(2);
      expect(await world.store.forgetKeys({ beforeMs, limit: 4 })).toBe(0);
      const left = (await world.snapshot()).keys.map(({ key }) => key);
      expect(left).toEqual(['k6', 'k7', 'k8', 'k9']);
      // The run stays as it was submitted, and its key is free again.
      const again = runRow({ ms: world.baseMs + 20, partition: 1, seq: 99 }, { keys: ['k0'] });
      expect(await owner.commit({ runs: [again] })).toEqual({ kind: 'committed' });
      const first = await world.store.getRun({ tenant: 'acme', id: runs[0]?.id ?? again.id });
      expect(first?.run.keys).toEqual(['k0']);
    });

    it('refuses a run that names one key twice', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k', 'k'] });
      await expectRefused(owner.commit({ runs: [run] }), 'invalid');
    });
  });
}

function byKey(result: { kind: string; keys?: readonly { key: string }[] }) {
  expect(result.kind).toBe('keyTaken');
  return result.keys?.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
