import { describe, expect, it } from 'vitest';
import type { Definition } from '../definition.ts';
import type { ConformanceTarget } from './target.ts';
import { openWorld, type World } from './world.ts';

const KEY = { tenant: 'acme', kind: 'job', name: 'report' };

export function definitionsSuite(target: ConformanceTarget): void {
  describe('definitions', () => {
    it('DUR-24 keeps every version with its author and time', async () => {
      const world = await openWorld(target);
      expect(await put(world, { expectedVersion: 0, body: 'one', author: 'ann' })).toEqual({
        kind: 'written',
        version: 1,
      });
      expect(await put(world, { expectedVersion: 1, body: 'two', author: 'bob' })).toEqual({
        kind: 'written',
        version: 2,
      });
      const versions = await world.store.listDefinitionVersions({ ...KEY, after: 0, limit: 9 });
      expect(versions).toMatchObject([
        { ...KEY, version: 1, body: 'one', author: 'ann', deleted: false },
        { ...KEY, version: 2, body: 'two', author: 'bob', deleted: false },
      ]);
      const nowMs = await world.store.now();
      for (const { atMs } of versions) {
        expect(atMs).toBeGreaterThanOrEqual(world.baseMs);
        expect(atMs).toBeLessThanOrEqual(nowMs);
      }
      expect(await world.store.getDefinition(KEY)).toEqual(versions[1]);
      expect(await world.store.getDefinition({ ...KEY, version: 1 })).toEqual(versions[0]);
      expect(await world.store.getDefinition({ ...KEY, version: 3 })).toBeNull();
      expect(await world.store.getDefinition({ ...KEY, version: 0 })).toBeNull();
    });

    it('DUR-12 U088 answers a second editor with the version that is there', async () => {
      const world = await openWorld(target);
      const absent = await put(world, { expectedVersion: 1, body: 'x' });
      expect(absent).toEqual({ kind: 'conflict', currentVersion: 0 });
      await put(world, { expectedVersion: 0, body: 'one' });
      await put(world, { expectedVersion: 1, body: 'two' });
      for (const expectedVersion of [0, 1, 3]) {
        const late = await put(world, { expectedVersion, body: 'late' });
        expect(late).toEqual({ kind: 'conflict', currentVersion: 2 });
      }
      const stale = { ...KEY, expectedVersion: 1, author: 'eve' };
      const conflict = { kind: 'conflict', currentVersion: 2 };
      expect(await world.store.deleteDefinition(stale)).toEqual(conflict);
      expect(await world.store.restoreDefinition(stale)).toEqual(conflict);
      expect(await world.store.getDefinition(KEY)).toMatchObject({ version: 2, body: 'two' });
    });

    it('adds no definition beyond the most that a change allows, whatever is written at once', async () => {
      const { store } = await openWorld(target);
      const create = (name: string, more: object = {}) =>
        store.putDefinition({
          ...{ ...KEY, name, expectedVersion: 0, body: '{}', author: 'ann', countMax: 3, ...more },
        });
      const results = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => create(name)));
      expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(3);
      expect(results.filter(({ kind }) => kind === 'full')).toHaveLength(3);
      expect(await store.countDefinitions(KEY)).toBe(3);
      expect(await create('g')).toEqual({ kind: 'full', count: 3 });
      // Other kinds and tenants have counts of their own, and without a limit nothing is counted.
      expect((await create('g', { kind: 'trigger' })).kind).toBe('written');
      expect((await create('g', { tenant: 'other' })).kind).toBe('written');
      const live = await store.listDefinitions({ ...KEY, after: null, limit: 9 });
      const [one] = live as [Definition];
      // A change of a live one and a deletion add nothing; a restore adds one again.
      const next = { ...KEY, name: one.name, author: 'ann', countMax: 3 };
      const changed = await store.putDefinition({ ...next, expectedVersion: 1, body: '[]' });
      expect(changed).toEqual({ kind: 'written', version: 2 });
      const deletion = await store.deleteDefinition({ ...next, expectedVersion: 2 });
      expect(deletion).toEqual({ kind: 'written', version: 3 });
      expect((await create('g')).kind).toBe('written');
      const restored = await store.restoreDefinition({ ...next, expectedVersion: 3 });
      expect(restored).toEqual({ kind: 'full', count: 3 });
      const stale = await store.putDefinition({ ...next, expectedVersion: 1, body: '{}' });
      expect(stale).toEqual({ kind: 'conflict', currentVersion: 3 });
    });

    it('DUR-12 U088 lets one of many editors at once win', async () => {
      const world = await openWorld(target);
      for (let version = 0; version < 3; version++) {
        const results = await Promise.all(
          ['a', 'b', 'c', 'd'].map((body) => put(world, { expectedVersion: version, body })),
        );
        expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(1);
        const lost = results.filter(({ kind }) => kind === 'conflict');
        expect(lost).toEqual(Array(3).fill({ kind: 'conflict', currentVersion: version + 1 }));
      }
    });

    it('finds no version beyond what any store counts to, and writes over none', async () => {
      const world = await openWorld(target);
      await put(world, { expectedVersion: 0, body: 'one' });
      for (const version of [-1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53, Number.MAX_VALUE]) {
        expect(await world.store.getDefinition({ ...KEY, version })).toBeNull();
        const change = { ...KEY, expectedVersion: version, author: 'eve' };
        const conflict = { kind: 'conflict', currentVersion: 1 };
        expect(await world.store.putDefinition({ ...change, body: 'x' })).toEqual(conflict);
        expect(await world.store.deleteDefinition(change)).toEqual(conflict);
      }
      const absent = { ...KEY, name: 'absent', expectedVersion: 2 ** 31, author: 'eve' };
      const none = { kind: 'conflict', currentVersion: 0 };
      expect(await world.store.putDefinition({ ...absent, body: 'x' })).toEqual(none);
    });

    it('DUR-24 deletes softly and restores', async () => {
      const world = await openWorld(target);
      await put(world, { expectedVersion: 0, body: 'one', author: 'ann' });
      const change = { ...KEY, expectedVersion: 1, author: 'bob' };
      expect(await world.store.deleteDefinition(change)).toEqual({ kind: 'written', version: 2 });
      expect(await world.store.getDefinition(KEY)).toMatchObject({
        version: 2,
        body: 'one',
        author: 'bob',
        deleted: true,
      });
      expect(await list(world)).toEqual([]);
      expect(await world.store.countDefinitions(KEY)).toBe(0);
      expect(await list(world, { includeDeleted: true })).toEqual(['report']);
      const back = { ...KEY, expectedVersion: 2, author: 'cat' };
      expect(await world.store.restoreDefinition(back)).toEqual({ kind: 'written', version: 3 });
      expect(await world.store.countDefinitions(KEY)).toBe(1);
      expect(await world.store.countDefinitions({ ...KEY, tenant: 'other' })).toBe(0);
      expect(await world.store.getDefinition(KEY)).toMatchObject({
        version: 3,
        body: 'one',
        author: 'cat',
        deleted: false,
      });
      expect(await list(world)).toEqual(['report']);
      expect(await world.store.listDefinitionVersions({ ...KEY, after: 0, limit: 9 })).toHaveLength(
        3,
      );
    });

    it('has nothing to delete or restore where nothing is', async () => {
      const world = await openWorld(target);
      const change = { ...KEY, expectedVersion: 0, author: 'bob' };
      const conflict = { kind: 'conflict', currentVersion: 0 };
      expect(await world.store.deleteDefinition(change)).toEqual(conflict);
      expect(await world.store.restoreDefinition(change)).toEqual(conflict);
      expect(await world.store.getDefinition(KEY)).toBeNull();
      expect(await world.store.listDefinitionVersions({ ...KEY, after: 0, limit: 9 })).toEqual([]);
    });

    it('lists the newest versions by name in the order of code points, page by page', async () => {
      const world = await openWorld(target);
      const names = ['', 'A', 'B', 'a', 'a b', 'aa', 'ä', '\u{fffd}', '\u{1f600}'];
      for (const name of names.toReversed()) {
        await put(world, { name, expectedVersion: 0, body: 'one' });
        await put(world, { name, expectedVersion: 1, body: 'two' });
      }
      expect(await list(world)).toEqual(names);
      expect(await list(world, { after: 'a', limit: 2 })).toEqual(['a b', 'aa']);
      expect(await list(world, { after: 'ä' })).toEqual(['\u{fffd}', '\u{1f600}']);
      const query = { tenant: 'acme', kind: 'job', after: null, limit: 1 };
      expect(await world.store.listDefinitions(query)).toMatchObject([{ version: 2, body: 'two' }]);
    });

    it('U103 keeps tenants and kinds apart', async () => {
      const world = await openWorld(target);
      await put(world, { expectedVersion: 0, body: 'mine' });
      await put(world, { tenant: 'other', expectedVersion: 0, body: 'theirs' });
      await put(world, { kind: 'schedule', expectedVersion: 0, body: 'when' });
      expect(await world.store.getDefinition(KEY)).toMatchObject({ body: 'mine', version: 1 });
      const other = { ...KEY, tenant: 'other' };
      expect(await world.store.getDefinition(other)).toMatchObject({ body: 'theirs' });
      expect(await world.store.getDefinition({ ...KEY, tenant: 'third' })).toBeNull();
      expect(await list(world)).toEqual(['report']);
      const third = { tenant: 'third', kind: 'job', after: null, limit: 9 };
      expect(await world.store.listDefinitions(third)).toEqual([]);
    });

    it('lists the changes of a kind over all tenants in the order of time, page by page', async () => {
      const world = await openWorld(target);
      const kind = 'schedule';
      const wanted: string[] = [];
      for (const tenant of ['b', 'a', 'ä']) {
        for (const name of ['two', 'one']) {
          await put(world, { tenant, kind, name, expectedVersion: 0, body: 'x' });
          await put(world, { tenant, kind, name, expectedVersion: 1, body: 'y' });
          wanted.push(`${tenant}/${name}/1`, `${tenant}/${name}/2`);
        }
      }
      await world.store.deleteDefinition({
        tenant: 'a',
        kind,
        name: 'one',
        expectedVersion: 2,
        author: 'ann',
      });
      await put(world, { kind: 'job', expectedVersion: 0, body: 'x' });
      wanted.push('a/one/3');
      const found: Definition[] = [];
      let after = { atMs: 0, tenant: '', name: '', version: 0 };
      for (;;) {
        const page = await world.store.listDefinitionChanges({ kind, after, limit: 4 });
        expect(page.length).toBeLessThanOrEqual(4);
        found.push(...page);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last;
      }
      const names = found.map(({ tenant, name, version }) => `${tenant}/${name}/${version}`);
      expect(names.toSorted()).toEqual(wanted.toSorted());
      expect(found.map(({ atMs }) => atMs)).toEqual(
        found.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
      );
      expect(found.filter(({ deleted }) => deleted)).toMatchObject([{ tenant: 'a', name: 'one' }]);
      const late = { ...after, atMs: after.atMs + 1 };
      expect(await world.store.listDefinitionChanges({ kind, after: late, limit: 9 })).toEqual([]);
      const half = { ...after, atMs: after.atMs + 0.5 };
      const asked = world.store.listDefinitionChanges({ kind, after: half, limit: 9 });
      await expect(asked).rejects.toMatchObject({ kind: 'invalid' });
    });
  });
}

function put(
  world: World,
  change: Partial<typeof KEY> & { expectedVersion: number; body: string; author?: string },
) {
  return world.store.putDefinition({ ...KEY, author: 'ann', ...change });
}

async function list(
  world: World,
  query: { after?: string | null; limit?: number; includeDeleted?: boolean } = {},
) {
  const answer = await world.store.listDefinitions({
    ...{ tenant: 'acme', kind: 'job', after: null, limit: 99 },
    ...query,
  });
  return answer.map(({ name }) => name);
}
