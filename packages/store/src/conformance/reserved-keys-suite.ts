import { describe, expect, it } from 'vitest';
import { endRow, inboxEntry, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectUnchanged, LONG_MS, openWorld } from './world.ts';

const tenant = 'acme';

/** I2: runs, entries of the inbox and claims take their keys from one place. */
export function reservedKeysSuite(target: ConformanceTarget): void {
  describe('keys that inbox entries reserve', () => {
    it('DUR-06 are no run’s until the entry is taken, and no other entry’s', async () => {
      const world = await openWorld(target);
      const [owner, other] = [await world.own(1), await world.own(2)];
      const entry = inboxEntry('alias-1', { key: 'k' });
      expect(await world.store.putInbox(entry)).toEqual({ kind: 'put' });
      expect(await world.store.readKeys([{ tenant, key: 'k' }])).toEqual([]);
      const elsewhere = inboxEntry('alias-2', { key: 'k', partition: 2, job: 'another' });
      const put = await expectUnchanged(world, () => world.store.putInbox(elsewhere));
      expect(put).toEqual({ kind: 'waiting', entry });
      const run = runRow({ ms: world.baseMs, partition: 2, seq: 1 }, { keys: ['j', 'k'] });
      const refused = await expectUnchanged(world, () => other.commit({ runs: [run] }));
      const reserved = [{ tenant, key: 'k', entry: 'alias-1' }];
      expect(refused).toEqual({ kind: 'keyTaken', keys: [], reserved });
      const taken = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k', 'alias-1'] });
      const result = await owner.commit({ runs: [taken], inboxTaken: ['alias-1'] });
      expect(result).toEqual({ kind: 'committed' });
      expect(await world.store.readKeys([{ tenant, key: 'k' }])).toEqual([
        { tenant, key: 'k', run: taken.id },
      ]);
      expect((await world.snapshot()).reserved).toEqual([]);
      expect(await world.store.putInbox(elsewhere)).toEqual({ kind: 'run', run: taken.id });
    });

    it('DUR-06 are another tenant’s to take', async () => {
      const world = await openWorld(target);
      await world.store.putInbox(inboxEntry('alias-1', { key: 'k' }));
      const theirs = inboxEntry('alias-2', { key: 'k', tenant: 'other' });
      expect(await world.store.putInbox(theirs)).toEqual({ kind: 'put' });
    });

    it('DUR-06 go to one of an entry and a commit at once', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      for (let i = 0; i < 5; i++) {
        const run = runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }, { keys: [`k${i}`] });
        const entry = inboxEntry(`alias-${i}`, { key: `k${i}`, partition: 2 });
        const [put, committed] = await Promise.all([
          world.store.putInbox(entry),
          owner.commit({ runs: [run] }),
        ]);
        const won = [put.kind === 'put', committed.kind === 'committed'];
        expect(won.filter(Boolean)).toHaveLength(1);
      }
    });

    it('are free again where the entry goes and nobody takes them', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      await world.store.putInbox(inboxEntry('alias-1', { key: 'k' }));
      expect(await owner.commit({ inboxTaken: ['alias-1'] })).toEqual({ kind: 'committed' });
      expect((await world.snapshot()).reserved).toEqual([]);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['k'] });
      expect(await owner.commit({ runs: [run] })).toEqual({ kind: 'committed' });
    });

    it('are reserved by an entry that a commit owes, unless they are taken', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['held'] });
      const owed = ['held', 'free'].map((key) => inboxEntry(`of ${key}`, { key, partition: 2 }));
      await owner.commit({ runs: [run], inboxPut: owed });
      const waiting = await world.store.readInbox({ partitions: [2], limit: 9 });
      expect(waiting.map(({ id }) => id)).toEqual(['of free']);
      expect((await world.snapshot()).reserved).toEqual([
        { tenant, key: 'free', entry: 'of free' },
      ]);
    });

    it('stay while their entry waits, however old it is', async () => {
      const world = await openWorld(target);
      await world.store.putInbox(inboxEntry('alias-1', { key: 'k', atMs: 5 }));
      const beforeMs = world.baseMs + LONG_MS;
      const swept = await world.store.forgetKeys({ beforeMs, after: null, limit: 9 });
      expect(swept).toEqual({ forgotten: 0, last: null });
      expect((await world.snapshot()).reserved).toHaveLength(1);
    });
  });

  describe('claims', () => {
    it('DUR-06 give a key to a run that is there, as often as they are repeated', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['own'] });
      await owner.commit({ runs: [run] });
      const claims = [{ tenant, key: 'k', run: run.id }];
      for (const each of [claims, claims, [...claims, ...claims]]) {
        expect(await owner.commit({ claims: each })).toEqual({ kind: 'committed' });
      }
      expect(await world.store.readKeys([{ tenant, key: 'k' }])).toEqual(claims);
    });

    it('DUR-06 are refused where another run or entry has the key', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const [first, second] = [1, 2].map((seq) =>
        runRow({ ms: world.baseMs, partition: 1, seq }, { keys: [`k${seq}`] }),
      ) as [ReturnType<typeof runRow>, ReturnType<typeof runRow>];
      await owner.commit({ runs: [first, second] });
      await world.store.putInbox(inboxEntry('alias-1', { key: 'k3' }));
      const claims = ['k1', 'k3'].map((key) => ({ tenant, key, run: second.id }));
      const refused = await expectUnchanged(world, () => owner.commit({ claims }));
      expect(refused).toEqual({
        kind: 'keyTaken',
        keys: [{ tenant, key: 'k1', run: first.id }],
        reserved: [{ tenant, key: 'k3', entry: 'alias-1' }],
      });
      const own = await owner.commit({ claims: claims.slice(1), inboxTaken: ['alias-1'] });
      expect(own).toEqual({ kind: 'committed' });
      const [held] = await world.store.readKeys([{ tenant, key: 'k3' }]);
      expect(held?.run).toEqual(second.id);
    });

    it('DUR-06 come before a run of the same commit that asks for the key', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const before = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      await owner.commit({ runs: [before] });
      const late = runRow({ ms: world.baseMs, partition: 1, seq: 2 }, { keys: ['k'] });
      const claims = [{ tenant, key: 'k', run: before.id }];
      const refused = await owner.commit({ runs: [late], claims });
      expect(refused).toMatchObject({ kind: 'keyTaken', keys: claims, reserved: [] });
    });

    it('are kept by their own age, as aliases are, and not by that of their run', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 }, { keys: ['own'] });
      await owner.commit({ runs: [run], ends: [endRow(run)] });
      const atMs = world.baseMs + 1_000;
      await owner.commit({
        atMs,
        claims: [{ tenant, key: 'claimed', run: run.id }],
        aliases: [{ tenant, key: 'alias', run: run.id }],
      });
      const forget = (beforeMs: number) =>
        world.store.forgetKeys({ beforeMs, after: null, limit: 9 });
      expect((await forget(atMs)).forgotten).toBe(1);
      const left = (await world.snapshot()).keys.map(({ key }) => key);
      expect(left).toEqual(['alias', 'claimed']);
      expect((await forget(atMs + 1)).forgotten).toBe(2);
    });
  });
}
