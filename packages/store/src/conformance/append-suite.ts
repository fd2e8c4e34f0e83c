import { describe, expect, it } from 'vitest';
import { bytes, endRow, inboxEntry, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, newCommitId, openWorld } from './world.ts';

export function appendSuite(target: ConformanceTarget): void {
  describe('append', () => {
    it('DUR-02 has written all of a commit when it answers committed', async () => {
      const world = await openWorld(target);
      const { store, baseMs } = world;
      const owner = await world.own(1);
      await store.putInbox(inboxEntry('alias-1'));
      await store.putInbox(inboxEntry('alias-2'));
      const run = runRow({ ms: baseMs, partition: 1, seq: 1 }, { keys: ['k1', 'alias-1'] });
      const waiting = runRow({ ms: baseMs, partition: 1, seq: 2 }, { class: 0, keys: [] });
      const next = owner.next({
        runs: [run, waiting],
        ends: [endRow(run)],
        parked: [parkedRow(waiting)],
        inboxTaken: ['alias-1'],
        factCount: 3,
      });
      const commitId = newCommitId();
      expect(await store.append({ commitId, parts: [next] })).toEqual({ kind: 'committed' });

      const { seq, epoch, atMs } = next;
      const head = { partition: 1, seq, epoch, commitId, atMs, factCount: 3 };
      expect(await store.readGroup({ partition: 1, seq })).toEqual(head);
      const groups = await store.readGroups({ partition: 1, afterSeq: seq - 1, limit: 9 });
      expect(groups).toEqual([{ ...head, body: bytes('facts') }]);
      expect(await store.getRun({ tenant: 'acme', id: run.id })).toEqual({
        run,
        end: endRow(run),
      });
      expect(await store.getRun({ tenant: 'acme', id: waiting.id })).toEqual({
        run: waiting,
        end: null,
      });
      const lane = { partition: 1, lane: 'P1/acme', after: null, upTo: 99, limit: 9 };
      expect((await store.readParked(lane)).runs).toEqual([{ sort: 2, run: waiting }]);
      expect(await store.readKeys([{ tenant: 'acme', key: 'k1' }])).toEqual([
        { tenant: 'acme', key: 'k1', run: run.id },
      ]);
      const left = await store.readInbox({ partitions: [1], limit: 9 });
      expect(left.map(({ id }) => id)).toEqual(['alias-2']);
    });

    it('commits the parts of several partitions together', async () => {
      const world = await openWorld(target);
      const owners = [await world.own(1), await world.own(2), await world.own(4095)];
      const parts = owners.map((owner) =>
        owner.next({ runs: [runRow({ ms: world.baseMs, partition: owner.partition, seq: 1 })] }),
      );
      const commitId = newCommitId();
      expect(await world.store.append({ commitId, parts })).toEqual({ kind: 'committed' });
      for (const { partition, seq } of parts) {
        expect(await world.store.readGroup({ partition, seq })).toMatchObject({ commitId });
        const id = { ms: world.baseMs, partition, seq: 1 };
        expect(await world.store.getRun({ tenant: 'acme', id })).not.toBeNull();
      }
    });

    it('takes a part without rows, and a commit without parts', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const empty = { body: new Uint8Array(0), factCount: 0 };
      expect(await owner.commit(empty)).toEqual({ kind: 'committed' });
      const group = { partition: 1, seq: owner.lastSeq };
      expect(await world.store.readGroup(group)).toMatchObject({ factCount: 0 });
      const nothing = { commitId: newCommitId(), parts: [] };
      const result = await expectUnchanged(world, () => world.store.append(nothing));
      expect(result).toEqual({ kind: 'committed' });
    });

    it('writes an end, and a parked row, of a run that an earlier commit brought', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      await owner.commit({ runs: [run] });
      await owner.commit({ parked: [parkedRow(run)] });
      const lane = { partition: 1, lane: 'P1/acme', after: null, upTo: 99, limit: 9 };
      expect((await world.store.readParked(lane)).runs).toHaveLength(1);
      await owner.commit({ ends: [endRow(run, { output: null })] });
      const stored = await world.store.getRun({ tenant: 'acme', id: run.id });
      expect(stored).toEqual({ run, end: endRow(run, { output: null }) });
    });

    it('DUR-03 writes nothing when a commit is repeated, and tells by its id that it is there', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k'] });
      const commit = { commitId: newCommitId(), parts: [owner.next({ runs: [run] })] };
      const at = { partition: 1, seq: owner.lastSeq + 1 };
      expect(await world.store.readGroup(at)).toBeNull();
      expect(await world.store.append(commit)).toEqual({ kind: 'committed' });
      const repeat = await expectUnchanged(world, () => world.store.append(commit));
      expect(repeat).toEqual({ kind: 'fenced', partitions: [1] });
      expect(await world.store.readGroup(at)).toMatchObject({ commitId: commit.commitId });
    });

    it('DUR-13 lets one of two commits at the same place win', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const results = await Promise.all(
        [1, 2, 3, 4].map((seq) => {
          const runs = [runRow({ ms: world.baseMs, partition: 1, seq })];
          return world.store.append({ commitId: `rival-${seq}`, parts: [owner.next({ runs })] });
        }),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual([
        'committed',
        'fenced',
        'fenced',
        'fenced',
      ]);
      const winner = results.findIndex(({ kind }) => kind === 'committed') + 1;
      const group = await world.store.readGroup({ partition: 1, seq: owner.lastSeq + 1 });
      expect(group?.commitId).toBe(`rival-${winner}`);
      expect((await world.snapshot()).runs).toHaveLength(1);
    });

    it('DUR-03 refuses a second row for a run, and a second end, and writes nothing', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      const other = runRow({ ms: world.baseMs, partition: 1, seq: 2 });
      await owner.commit({ runs: [run], ends: [endRow(run)] });
      await expectUnchanged(world, async () => {
        await expectRefused(owner.commit({ runs: [other, run] }), 'invalid');
        await expectRefused(owner.commit({ runs: [other, other] }), 'invalid');
        const failed = endRow(run, { state: 'FAILED' });
        await expectRefused(owner.commit({ runs: [other], ends: [failed] }), 'invalid');
      });
      expect(await owner.commit({ runs: [other] })).toEqual({ kind: 'committed' });
    });

    it('refuses two parts for one partition', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const parts = [owner.next(), owner.next()];
      await expectUnchanged(world, () =>
        expectRefused(world.store.append({ commitId: newCommitId(), parts }), 'invalid'),
      );
    });

    it('is read back in pages that end with the group whose body reaches the bytes', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const first = owner.lastSeq + 1;
      for (const size of [100, 5_000, 100, 9_000]) {
        await owner.commit({ body: new Uint8Array(size).fill(7) });
      }
      const read = async (afterSeq: number, bytes: number) => {
        const query = { partition: 1, afterSeq, limit: 9, bytes };
        return (await world.store.readGroups(query)).map(({ body }) => body.length);
      };
      expect(await read(first - 1, 1)).toEqual([100]);
      expect(await read(first - 1, 101)).toEqual([100, 5_000]);
      expect(await read(first, 5_000)).toEqual([5_000]);
      expect(await read(first, 5_101)).toEqual([5_000, 100, 9_000]);
      expect(await read(first + 3, 1)).toEqual([]);
    });

    it('reads groups in order after a seq, no more than asked for, of one partition', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const other = await world.own(2);
      await other.commit({ body: bytes('other') });
      for (let i = 0; i < 9; i++) await owner.commit({ body: bytes(`group ${i}`) });
      const read = (afterSeq: number, limit: number) =>
        world.store.readGroups({ partition: 1, afterSeq, limit });
      const all = await read(0, 99);
      expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(all[4]?.body).toEqual(bytes('group 3'));
      expect((await read(3, 4)).map(({ seq }) => seq)).toEqual([4, 5, 6, 7]);
      expect(await read(10, 4)).toEqual([]);
      expect(await world.store.readGroups({ partition: 3, afterSeq: 0, limit: 9 })).toEqual([]);
    });
  });
}
