import { describe, expect, it } from 'vitest';
import { endRow, inboxEntry, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectUnchanged, newCommitId, openWorld, takeOver } from './world.ts';

export function fencingSuite(target: ConformanceTarget): void {
  describe('fencing', () => {
    it('DUR-04 DUR-10 writes nothing of an owner that has been replaced', async () => {
      const world = await openWorld(target);
      const old = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      await old.commit({ runs: [run] });
      await world.store.putInbox(inboxEntry('alias-1'));
      await takeOver(world, old);
      const late = runRow({ ms: world.baseMs, partition: 1, seq: 2 }, { keys: ['late'] });
      const result = await expectUnchanged(world, () =>
        old.commit({
          runs: [late],
          ends: [endRow(run)],
          parked: [parkedRow(run)],
          inboxTaken: ['alias-1'],
        }),
      );
      expect(result).toEqual({ kind: 'fenced', partitions: [1] });
      expect(await world.store.getRun({ tenant: 'acme', id: late.id })).toBeNull();
      expect(await world.store.readKeys([{ tenant: 'acme', key: 'late' }])).toEqual([]);
    });

    it('DUR-10 refuses an older epoch also at a seq that is free', async () => {
      const world = await openWorld(target);
      const old = await world.own(1);
      const successor = await takeOver(world, old);
      await successor.commit();
      old.lastSeq = successor.lastSeq;
      const result = await expectUnchanged(world, () => old.commit());
      expect(result).toEqual({ kind: 'fenced', partitions: [1] });
    });

    it('DUR-04 writes nothing when one of several parts is fenced, and names that part', async () => {
      const world = await openWorld(target);
      const owners = [await world.own(1), await world.own(2), await world.own(3)] as const;
      await takeOver(world, owners[1]);
      const partOf = (owner: (typeof owners)[number]) =>
        owner.next({ runs: [runRow({ ms: world.baseMs, partition: owner.partition, seq: 1 })] });
      const all = { commitId: newCommitId(), parts: owners.map(partOf) };
      const result = await expectUnchanged(world, () => world.store.append(all));
      expect(result).toEqual({ kind: 'fenced', partitions: [2] });

      // Without the part that was named the rest goes through.
      const rest = { ...all, parts: all.parts.filter(({ partition }) => partition !== 2) };
      expect(await world.store.append(rest)).toEqual({ kind: 'committed' });
    });

    it('CLU-06 refuses the old token of every partition that moves when a node joins, and no other', async () => {
      const world = await openWorld(target);
      const partitions = [1, 2, 3, 4, 5, 6];
      const old = await Promise.all(partitions.map((partition) => world.own(partition, 'a')));
      // Three of them move to a node that joins, while the old owner still writes to all six.
      const taken = await Promise.all(old.slice(3).map((owned) => takeOver(world, owned, 'c')));
      const [moved, kept] = [old.slice(3), old.slice(0, 3)];
      const runs = (seq: number, { partition }: { partition: number }) => [
        runRow({ ms: world.baseMs, partition, seq }),
      ];
      const results = await Promise.all(old.map((owned) => owned.commit({ runs: runs(1, owned) })));
      expect(results.slice(0, 3)).toEqual(kept.map(() => ({ kind: 'committed' })));
      expect(results.slice(3)).toEqual(
        moved.map(({ partition }) => ({ kind: 'fenced', partitions: [partition] })),
      );
      for (const owned of taken) {
        const { epoch } = moved.find(({ partition }) => partition === owned.partition) ?? owned;
        expect(owned.epoch).toBeGreaterThan(epoch);
        expect(await owned.commit({ runs: runs(2, owned) })).toEqual({ kind: 'committed' });
      }
      // The node leaves again: its token is refused in turn, and the first one stays refused.
      const back = await Promise.all(taken.map((owned) => takeOver(world, owned, 'b')));
      for (const [i, owned] of back.entries()) {
        for (const stale of [moved[i] ?? owned, taken[i] ?? owned]) {
          const result = await expectUnchanged(world, () => stale.commit());
          expect(result).toEqual({ kind: 'fenced', partitions: [owned.partition] });
        }
        const lists = await world.store.readGroups({ ...owned, afterSeq: 0, limit: 99 });
        const epochs = lists.map(({ epoch }) => epoch);
        expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
      }
    });

    it('names every fenced part', async () => {
      const world = await openWorld(target);
      const owners = [await world.own(1), await world.own(2), await world.own(3)] as const;
      await takeOver(world, owners[0]);
      await takeOver(world, owners[2]);
      const parts = owners.map((owner) => owner.next());
      const result = await expectUnchanged(world, () =>
        world.store.append({ commitId: newCommitId(), parts }),
      );
      expect(result.kind).toBe('fenced');
      expect(result.kind === 'fenced' && result.partitions.toSorted()).toEqual([1, 3]);
    });

    it('answers fenced rather than keyTaken when both hold', async () => {
      const world = await openWorld(target);
      const old = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k'] });
      await old.commit({ runs: [run] });
      await takeOver(world, old);
      const rival = runRow({ ms: world.baseMs, partition: 1, seq: 2 }, { keys: ['k'] });
      expect(await old.commit({ runs: [rival] })).toEqual({ kind: 'fenced', partitions: [1] });
    });

    it('DUR-04 puts the fence where the old owner would write next, and readers see it', async () => {
      const world = await openWorld(target);
      const old = await world.own(1);
      await old.commit();
      const commitId = newCommitId();
      const { partition, epoch } = old;
      await world.store.releaseLease({ partition, owner: old.owner, epoch });
      const request = { partition, owner: 'node-b', ttlMs: 60_000, commitId };
      const answer = await world.store.acquireLease(request);
      const seq = old.lastSeq + 1;
      expect(answer).toMatchObject({ kind: 'acquired', epoch: epoch + 1, seq });
      const fence = { partition, seq, epoch: epoch + 1, commitId, factCount: 0 };
      expect(await world.store.readGroup({ partition, seq })).toMatchObject(fence);
      const groups = await world.store.readGroups({ partition, afterSeq: seq - 1, limit: 9 });
      expect(groups).toHaveLength(1);
      expect(groups[0]?.body).toEqual(new Uint8Array(0));
    });

    it('DUR-04 DUR-11 CLU-06 never commits both: a take-over and an append of the old owner at once', async () => {
      const world = await openWorld(target);
      for (let partition = 1; partition <= 8; partition++) {
        const old = await world.own(partition, 'same');
        const [result, next] = await Promise.all([old.commit(), world.own(partition, 'same')]);
        const at = { partition, seq: next.lastSeq };
        expect(await world.store.readGroup(at)).toMatchObject({ epoch: next.epoch });
        // Either it came before the fence and is what the new owner reads, or it never will be.
        const written = await world.store.readGroups({ partition, afterSeq: 1, limit: 9 });
        expect(written.map(({ epoch }) => epoch)).toEqual(
          result.kind === 'committed' ? [old.epoch, next.epoch] : [next.epoch],
        );
      }
    });
  });
}
