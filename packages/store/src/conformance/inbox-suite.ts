import { describe, expect, it } from 'vitest';
import { inboxEntry, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectUnchanged, openWorld, takeOver } from './world.ts';

export function inboxSuite(target: ConformanceTarget): void {
  describe('inbox', () => {
    it('DUR-02 keeps an entry whole until it is taken, and reading does not take it', async () => {
      const world = await openWorld(target);
      const full = inboxEntry('alias-1');
      const bare = inboxEntry('alias-2', { input: null, key: null, head: '', atMs: full.atMs + 1 });
      await world.store.putInbox(full);
      await world.store.putInbox(bare);
      for (let i = 0; i < 2; i++) {
        expect(await world.store.readInbox({ partitions: [1], limit: 9 })).toEqual([full, bare]);
      }
    });

    it('returns every kind of entry as it was put', async () => {
      const world = await openWorld(target);
      const kinds = ['batch', 'events', 'message', 'submission'] as const;
      // The same text in each of them: the kind is stored, not derived.
      for (const kind of kinds) await world.store.putInbox(inboxEntry(kind, { kind, head: '{}' }));
      const read = await world.store.readInbox({ partitions: [1], limit: 9 });
      expect(read.map(({ kind }) => kind)).toEqual(kinds);
      for (const id of kinds) {
        expect((await world.store.readInboxEntry({ tenant: 'acme', id }))?.kind).toBe(id);
      }
    });

    it('DUR-03 does nothing when an id is put again, and returns what waits', async () => {
      const world = await openWorld(target);
      for (const key of ['k', null]) {
        const entry = inboxEntry(`alias of ${key}`, { key });
        expect(await world.store.putInbox(entry)).toEqual({ kind: 'put' });
        const again = await expectUnchanged(world, () =>
          world.store.putInbox({ ...entry, job: 'another', atMs: 5 }),
        );
        expect(again).toEqual({ kind: 'waiting', entry });
      }
    });

    it('finds an entry by its id, however many wait before it, for its tenant only', async () => {
      const world = await openWorld(target);
      const entry = inboxEntry('alias-1', { input: null });
      await world.store.putInbox(entry);
      const read = (tenant: string, id: string) => world.store.readInboxEntry({ tenant, id });
      expect(await read('acme', 'alias-1')).toEqual(entry);
      expect(await read('other', 'alias-1')).toBeNull();
      expect(await read('acme', 'alias-2')).toBeNull();
    });

    it('gives the oldest up to the entry that reaches the bytes, and one at least', async () => {
      const world = await openWorld(target);
      for (const [i, size] of [100, 5_000, 100, 100, 9_000, 100].entries()) {
        const input = new Uint8Array(size);
        const atMs = 1_000 + i;
        await world.store.putInbox(
          inboxEntry(`a${i}`, { partition: i % 2, atMs, head: '', input }),
        );
      }
      const read = async (bytes: number) =>
        (await world.store.readInbox({ partitions: [0, 1], limit: 5, bytes })).map(({ id }) => id);
      expect(await read(1)).toEqual(['a0']);
      expect(await read(101)).toEqual(['a0', 'a1']);
      expect(await read(5_300)).toEqual(['a0', 'a1', 'a2', 'a3']);
      expect(await read(5_301)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
      expect(await read(1_000_000)).toHaveLength(5);
    });

    it('gives the oldest first, of the partitions asked for', async () => {
      const world = await openWorld(target);
      for (let i = 0; i < 12; i++) {
        const id = `alias-${String(99 - i)}`;
        await world.store.putInbox(inboxEntry(id, { partition: i % 3, atMs: 1_000 + i }));
      }
      const read = async (partitions: number[], limit: number) =>
        (await world.store.readInbox({ partitions, limit })).map(({ atMs }) => atMs - 1_000);
      expect(await read([0, 2], 99)).toEqual([0, 2, 3, 5, 6, 8, 9, 11]);
      expect(await read([2, 0], 3)).toEqual([0, 2, 3]);
      expect(await read([7], 3)).toEqual([]);
      expect(await read([], 3)).toEqual([]);
    });

    it('DUR-02 gets an entry with the commit that owes it, once, or with none at all', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const owed = inboxEntry('alias-1', { partition: 2 });
      const bare = inboxEntry('alias-2', { partition: 2, input: null, key: null, atMs: 9 });
      expect(await owner.commit({ inboxPut: [owed, bare] })).toEqual({ kind: 'committed' });
      const again = inboxEntry('alias-1', { partition: 2, job: 'another' });
      expect(await owner.commit({ inboxPut: [again] })).toEqual({ kind: 'committed' });
      const read = () => world.store.readInbox({ partitions: [2], limit: 9 });
      expect(await read()).toEqual([bare, owed]);
      const late = owner.next({ inboxPut: [inboxEntry('alias-3', { partition: 2 })] });
      await takeOver(world, owner);
      const result = await world.store.append({ commitId: 'late', parts: [late] });
      expect(result).toEqual({ kind: 'fenced', partitions: [1] });
      expect(await read()).toEqual([bare, owed]);
    });

    it('loses an entry in the commit that turns it into a run', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      await world.store.putInbox(inboxEntry('alias-1'));
      await world.store.putInbox(inboxEntry('alias-2'));
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['alias-1'] });
      const result = await owner.commit({ runs: [run], inboxTaken: ['alias-1', 'never put'] });
      expect(result).toEqual({ kind: 'committed' });
      const left = await world.store.readInbox({ partitions: [1], limit: 9 });
      expect(left.map(({ id }) => id)).toEqual(['alias-2']);
    });

    it('DUR-06 an entry that is a run already leaves its name for that run', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const before = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k'] });
      await owner.commit({ runs: [before] });
      await world.store.putInbox(inboxEntry('alias-1', { key: 'k' }));
      await world.store.putInbox(inboxEntry('alias-2', { key: 'l' }));
      const beside = runRow({ ms: world.baseMs, partition: 1, seq: 2 }, { keys: ['l'] });
      const named = (key: string, { tenant, id: run }: typeof before) => ({ tenant, key, run });
      const result = await owner.commit({
        runs: [beside],
        inboxTaken: ['alias-1', 'alias-2'],
        aliases: [named('alias-1', before), named('alias-2', beside)],
      });
      expect(result).toEqual({ kind: 'committed' });
      const keys = ['alias-1', 'alias-2'].map((key) => ({ tenant: before.tenant, key }));
      const found = await world.store.readKeys(keys);
      expect(found.map(({ run }) => run.seq)).toEqual([1, 2]);
      expect(await world.store.readInbox({ partitions: [1], limit: 9 })).toEqual([]);
    });

    it('a key may go to a run of another partition, alone; a run that asks for it then is refused', async () => {
      const world = await openWorld(target);
      const [owner, other] = [await world.own(1), await world.own(2)];
      const before = runRow({ ms: world.baseMs, partition: 2, seq: 1 }, { keys: [] });
      await other.commit({ runs: [before] });
      const { tenant, id } = before;
      const claimed = { tenant, key: 'nested', run: id };
      expect(await owner.commit({ aliases: [claimed] })).toEqual({ kind: 'committed' });
      expect(await world.store.readKeys([{ tenant, key: 'nested' }])).toEqual([claimed]);
      const late = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { tenant, keys: ['nested'] });
      const refused = await owner.commit({ runs: [late] });
      expect(refused).toMatchObject({ kind: 'keyTaken', keys: [claimed] });
    });

    it('a name that is taken keeps its run, and refuses nothing', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const [first, second] = [1, 2].map((seq) => {
        return runRow({ ms: world.baseMs, partition: 1, seq }, { keys: [`k${seq}`] });
      }) as [ReturnType<typeof runRow>, ReturnType<typeof runRow>];
      await owner.commit({ runs: [first] });
      const taken = [{ tenant: first.tenant, key: 'k1', run: second.id }];
      const same = [{ tenant: first.tenant, key: 'k2', run: first.id }];
      const result = await owner.commit({ runs: [second], aliases: [...taken, ...same] });
      expect(result).toEqual({ kind: 'committed' });
      const keys = ['k1', 'k2'].map((key) => ({ tenant: first.tenant, key }));
      const found = await world.store.readKeys(keys);
      expect(found.map(({ run }) => run.seq)).toEqual([1, 2]);
    });
  });
}
