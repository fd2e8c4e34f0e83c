import { describe, expect, it } from 'vitest';
import { LEASE_MS_MAX } from '../lease-length.ts';
import type { ConformanceTarget } from './target.ts';
import { LONG_MS, newCommitId, openWorld, type World } from './world.ts';

/** Long enough to be seen held, short enough to be waited for. */
const SHORT_MS = 150;

export function leasesSuite(target: ConformanceTarget): void {
  describe('CLU-05 leases', () => {
    it('DUR-10 raises the epoch with every take, also of an owner that takes its own', async () => {
      const world = await openWorld(target);
      const epochs: number[] = [];
      for (const owner of ['a', 'a', 'b', 'a']) {
        const { epoch, partition } = await world.own(1, owner);
        epochs.push(epoch);
        await world.store.releaseLease({ partition, owner, epoch });
      }
      expect(epochs.every((epoch, i) => i === 0 || epoch > (epochs[i - 1] ?? 0))).toBe(true);
      const again = await world.own(1, 'a');
      const unreleased = await world.own(1, 'a');
      expect(unreleased.epoch).toBeGreaterThan(again.epoch);
      expect(unreleased.lastSeq).toBe(again.lastSeq + 1);
    });

    it('DUR-11 counts as run out where it ends later than any can: the clock was set back since', async () => {
      const world = await openWorld(target);
      const far = 2 * LEASE_MS_MAX;
      const before = await acquire(world, 'dead', far);
      await world.store.beat({ node: 'dead', address: 'x', ttlMs: far, leases: [] });
      const beat = { node: 'b', address: 'y', ttlMs: LONG_MS, leases: [] };
      expect((await world.store.beat(beat)).nodes.map(({ node }) => node)).toEqual(['b']);
      const after = await acquire(world, 'b', LONG_MS);
      expect(after).toMatchObject({ kind: 'acquired' });
      expect(after.epoch).toBeGreaterThan(before.epoch);
      expect(await acquire(world, 'c', LONG_MS)).toMatchObject({ kind: 'held', owner: 'b' });
    });

    it('DUR-11 is held while it runs, and free when it has run out by the store clock', async () => {
      const world = await openWorld(target);
      const mine = await acquire(world, 'a', SHORT_MS);
      if (mine.kind !== 'acquired') throw new Error('a free lease was not given');
      const early = await acquire(world, 'b', LONG_MS);
      expect(early).toMatchObject({ kind: 'held', owner: 'a', epoch: mine.epoch });
      if (early.kind === 'held') {
        expect(early.remainingMs).toBeGreaterThan(0);
        expect(early.remainingMs).toBeLessThanOrEqual(SHORT_MS);
      }
      await world.waitPast(mine.nowMs + SHORT_MS);
      const late = await acquire(world, 'b', LONG_MS);
      expect(late).toMatchObject({ kind: 'acquired', seq: mine.seq + 1 });
      expect(late.epoch).toBeGreaterThan(mine.epoch);
    });

    it('gives one of many that ask at once', async () => {
      const world = await openWorld(target);
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd'].map((owner) => acquire(world, owner, LONG_MS)),
      );
      expect(answers.filter(({ kind }) => kind === 'acquired')).toHaveLength(1);
      expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(3);
      expect(await world.store.readGroups({ partition: 1, afterSeq: 0, limit: 9 })).toHaveLength(1);
    });

    it('lists leases in order of partition, with those that have run out', async () => {
      const world = await openWorld(target);
      expect(await world.store.listLeases()).toEqual([]);
      const late = await world.own(7, 'b');
      const early = await world.own(2, 'a');
      await world.store.releaseLease({ partition: 7, owner: 'b', epoch: late.epoch });
      const leases = await world.store.listLeases();
      expect(leases).toMatchObject([
        { partition: 2, owner: 'a', epoch: early.epoch },
        { partition: 7, owner: 'b', epoch: late.epoch },
      ]);
      const nowMs = await world.store.now();
      expect(leases[0]?.expiresAtMs).toBeGreaterThan(nowMs);
      expect(leases[1]?.expiresAtMs).toBeLessThanOrEqual(nowMs);
    });

    it('lets go only what is still this owner’s, under this epoch', async () => {
      const world = await openWorld(target);
      const old = await world.own(1, 'a');
      const mine = await world.own(1, 'a');
      await world.store.releaseLease({ partition: 1, owner: 'a', epoch: old.epoch });
      await world.store.releaseLease({ partition: 1, owner: 'b', epoch: mine.epoch });
      await world.store.releaseLease({ partition: 9, owner: 'a', epoch: 1 });
      expect((await acquire(world, 'b', LONG_MS)).kind).toBe('held');
      await world.store.releaseLease({ partition: 1, owner: 'a', epoch: mine.epoch });
      // The epoch stays: nobody has taken over yet, so the last groups may still be written.
      expect(await mine.commit()).toEqual({ kind: 'committed' });
      expect(await acquire(world, 'b', LONG_MS)).toMatchObject({
        kind: 'acquired',
        seq: mine.lastSeq + 1,
      });
    });
  });
}

function acquire(world: World, owner: string, ttlMs: number) {
  return world.store.acquireLease({ partition: 1, owner, ttlMs, commitId: newCommitId() });
}
