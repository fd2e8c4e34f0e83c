import { describe, expect, it } from 'vitest';
import type { ConformanceTarget } from './target.ts';
import { LONG_MS, newCommitId, openWorld, takeOver, type World } from './world.ts';

const SHORT_MS = 150;

export function beatSuite(target: ConformanceTarget): void {
  describe('CLU-05 beat', () => {
    it('keeps the node in the registry, lists live nodes by name, and tells the time', async () => {
      const world = await openWorld(target);
      await beat(world, 'b', { address: 'ws://b' });
      await beat(world, 'a', { address: 'ws://old' });
      const answer = await beat(world, 'a', { address: 'ws://a' });
      expect(answer).toMatchObject({ renewed: [], lost: [] });
      expect(answer.nodes).toEqual([
        { node: 'a', address: 'ws://a' },
        { node: 'b', address: 'ws://b' },
      ]);
      expect(answer.nowMs).toBeGreaterThanOrEqual(world.baseMs);
      await world.store.forgetNode('b');
      await world.store.forgetNode('never seen');
      expect((await beat(world, 'a')).nodes.map(({ node }) => node)).toEqual(['a']);
    });

    it('leaves out a node that has been silent for its time', async () => {
      const world = await openWorld(target);
      const { nowMs } = await beat(world, 'gone', { ttlMs: SHORT_MS });
      expect((await beat(world, 'here')).nodes).toHaveLength(2);
      await world.waitPast(nowMs + SHORT_MS);
      expect((await beat(world, 'here')).nodes.map(({ node }) => node)).toEqual(['here']);
    });

    it('DUR-11 renews what is this node’s, and names what is lost', async () => {
      const world = await openWorld(target);
      const mine = await world.own(1, 'a');
      const lost = await world.own(2, 'a');
      const stale = await world.own(3, 'a');
      await world.own(3, 'a');
      await takeOver(world, lost, 'b');
      const answer = await beat(world, 'a', {
        leases: [lost, mine, stale, { partition: 4, epoch: 1 }],
      });
      expect(answer.renewed).toEqual([1]);
      expect(answer.lost.toSorted()).toEqual([2, 3, 4]);
      const leases = await world.store.listLeases();
      expect(leases.find(({ partition }) => partition === 2)?.owner).toBe('b');
    });

    it('DUR-11 keeps a lease from running out', async () => {
      const world = await openWorld(target);
      const request = { partition: 1, owner: 'a', ttlMs: SHORT_MS, commitId: newCommitId() };
      const taken = await world.store.acquireLease(request);
      if (taken.kind !== 'acquired') throw new Error('a free lease was not given');
      await beat(world, 'a', { leases: [{ partition: 1, epoch: taken.epoch }] });
      await world.waitPast(taken.nowMs + SHORT_MS);
      const rival = { ...request, owner: 'b', commitId: newCommitId() };
      expect(await world.store.acquireLease(rival)).toMatchObject({ kind: 'held', owner: 'a' });
    });

    it('DUR-11 revives a lease that ran out and that nobody has taken', async () => {
      const world = await openWorld(target);
      const request = { partition: 1, owner: 'a', ttlMs: SHORT_MS, commitId: newCommitId() };
      const taken = await world.store.acquireLease(request);
      if (taken.kind !== 'acquired') throw new Error('a free lease was not given');
      await world.waitPast(taken.nowMs + SHORT_MS);
      const answer = await beat(world, 'a', { leases: [{ partition: 1, epoch: taken.epoch }] });
      expect(answer).toMatchObject({ renewed: [1], lost: [] });
      const rival = { ...request, owner: 'b', commitId: newCommitId() };
      expect(await world.store.acquireLease(rival)).toMatchObject({
        kind: 'held',
        epoch: taken.epoch,
      });
    });
  });
}

function beat(
  world: World,
  node: string,
  options: {
    address?: string;
    ttlMs?: number;
    leases?: readonly { partition: number; epoch: number }[];
  } = {},
) {
  const { address = `ws://${node}`, ttlMs = LONG_MS } = options;
  const leases = (options.leases ?? []).map(({ partition, epoch }) => ({ partition, epoch }));
  return world.store.beat({ node, address, ttlMs, leases });
}
