import { describe, expect, it } from 'vitest';
import { bytes } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectUnchanged, openWorld, takeOver } from './world.ts';

export function checkpointsSuite(target: ConformanceTarget): void {
  describe('checkpoints', () => {
    it('replaces the stored one whole, and keeps the groups', async () => {
      const world = await openWorld(target);
      const { partition, epoch, ...owner } = await world.own(1);
      await owner.commit();
      await owner.commit();
      expect(await world.store.readCheckpoint(1)).toBeNull();
      const first = {
        partition,
        epoch,
        seq: 2,
        chunks: [bytes('one'), new Uint8Array(0), bytes('three')],
      };
      expect(await world.store.writeCheckpoint(first)).toBe(true);
      expect(await world.store.readCheckpoint(1)).toEqual(first);
      const second = { ...first, seq: 3, chunks: [bytes('only')] };
      expect(await world.store.writeCheckpoint(second)).toBe(true);
      expect(await world.store.readCheckpoint(1)).toEqual(second);
      expect(await world.store.readCheckpoint(2)).toBeNull();
      expect(await world.store.readGroups({ partition: 1, afterSeq: 0, limit: 9 })).toHaveLength(3);
    });

    it('takes one without chunks', async () => {
      const world = await openWorld(target);
      const { partition, epoch } = await world.own(1);
      const empty = { partition, epoch, seq: 1, chunks: [] };
      expect(await world.store.writeCheckpoint(empty)).toBe(true);
      expect(await world.store.readCheckpoint(1)).toEqual(empty);
    });

    it('refuses one that does not reach further', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      await owner.commit();
      const { partition, epoch } = owner;
      const stored = { partition, epoch, seq: 2, chunks: [bytes('kept')] };
      await world.store.writeCheckpoint(stored);
      await expectUnchanged(world, async () => {
        for (const seq of [1, 2]) {
          const late = { ...stored, seq, chunks: [bytes('late')] };
          expect(await world.store.writeCheckpoint(late)).toBe(false);
        }
      });
    });

    it('DUR-10 refuses one of an owner that has been replaced', async () => {
      const world = await openWorld(target);
      const old = await world.own(1);
      await old.commit();
      await takeOver(world, old);
      const late = { partition: 1, epoch: old.epoch, seq: 2, chunks: [bytes('late')] };
      await expectUnchanged(world, async () => {
        expect(await world.store.writeCheckpoint(late)).toBe(false);
        expect(await world.store.writeCheckpoint({ ...late, epoch: 99 })).toBe(false);
        expect(await world.store.writeCheckpoint({ ...late, partition: 9 })).toBe(false);
      });
    });
  });
}
