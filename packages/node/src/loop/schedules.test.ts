import { scheduleKey } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { MemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { expectGapless, MINUTE, save, setup, windows } from './testing/minutely.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

describe('schedules in the loop', () => {
  it('are found within a second where another node may have saved them, though it owns nothing', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    const nodes = [await world.startNode({ name: 'a' }), await world.startNode({ name: 'b' })];
    await world.run(30_000);
    const owner = nodes.find(({ loop }) => loop.owns(0)) as VirtualNode;
    expect(nodes.map(({ loop }) => loop.leases.isAlone)).toEqual([false, false]);
    await save(world);
    await world.run(1_100);
    const key = scheduleKey('acme', 'minutely');
    expect(owner.engine.core.books.get(0)?.schedules.has(key)).toBe(true);
  });

  it('are looked for seldom by a node that is alone, and often once another has joined', async () => {
    let looks = 0;
    const counting = (disk: MemoryStore): Store => ({
      ...disk,
      listDefinitionChanges: (query) => {
        looks++;
        return disk.listDefinitionChanges(query);
      },
    });
    const { world, node } = await setup({ store: counting });
    await world.run(60_000);
    expect(node.loop.leases.isAlone).toBe(true);
    looks = 0;
    await world.run(60_000);
    // Schedules and jobs, twice a minute.
    expect(looks).toBeLessThanOrEqual(6);
    await world.startNode({ name: 'z', store: counting });
    await world.run(10_000);
    expect(node.loop.leases.isAlone).toBe(false);
    looks = 0;
    await world.run(10_000);
    expect(looks).toBeGreaterThanOrEqual(18);
  });

  it('are found within a second of being saved by whomever, and fire in their second', async () => {
    const { world } = await setup();
    await save(world);
    await world.run(10 * MINUTE + 500);
    const found = await windows(world);
    expectGapless(found, 10);
    const runs = await world.disk.listRuns({ tenant: 'acme', before: null, limit: 99 });
    const lateMs = runs.map(({ run }) => run.id.ms - JSON.parse(run.head).window.planned);
    expect(Math.max(...lateMs)).toBeLessThan(100);
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
  });

  it('use the newest version of their job, and skip while it is deleted', async () => {
    const { world, node } = await setup();
    await save(world);
    await world.run(MINUTE + 500);
    const job = { tenant: 'acme', kind: 'job', name: 'job', author: 'ann' };
    await world.disk.putDefinition({ ...job, expectedVersion: 1, body: '{"class":0}' });
    await world.run(MINUTE);
    await world.disk.deleteDefinition({ ...job, expectedVersion: 2 });
    await world.run(MINUTE);
    const runs = await world.disk.listRuns({ tenant: 'acme', before: null, limit: 9 });
    expect(runs.map(({ run }) => [run.jobVersion, run.class]).reverse()).toEqual([
      [1, 1],
      [2, 0],
    ]);
    const schedule = node.engine.core.books.get(0)?.schedules.get(scheduleKey('acme', 'minutely'));
    expect(schedule?.skips).toMatchObject([{ count: 1, reason: 'job_deleted' }]);
  });

  it('a deleted schedule fires no more', async () => {
    const { world } = await setup();
    await save(world);
    await world.run(MINUTE + 500);
    const key = { tenant: 'acme', kind: 'schedule', name: 'minutely', author: 'ann' };
    await world.disk.deleteDefinition({ ...key, expectedVersion: 1 });
    await world.run(5 * MINUTE);
    expect(await windows(world)).toHaveLength(1);
  });

  it('saved and deleted before anybody had heard of it is not brought to life', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    const key = { tenant: 'acme', kind: 'schedule', name: 'minutely', author: 'ann' };
    await world.disk.deleteDefinition({ ...key, expectedVersion: 1 });
    const node = await world.startNode();
    await world.run(5 * MINUTE);
    expect(await windows(world)).toEqual([]);
    expect(node.engine.core.books.get(0)?.schedules.size).toBe(0);
  });

  it('a deleted schedule stays deleted however often its versions are read again', async () => {
    const { world, node } = await setup();
    await save(world);
    await world.run(2 * MINUTE + 500);
    const key = { tenant: 'acme', kind: 'schedule', name: 'minutely', author: 'ann' };
    await world.disk.deleteDefinition({ ...key, expectedVersion: 1 });
    await world.run(5_000);
    for (const name of ['b', 'c', 'd']) {
      node.loop.halt();
      await world.startNode({ name });
      await world.run(3 * MINUTE);
    }
    expect(await windows(world)).toHaveLength(2);
  });

  it('TRG-21 are never looked for twice at a time, however slow the store is', async () => {
    let under = 0;
    let most = 0;
    let looks = 0;
    const world = new VirtualWorld();
    await world.startNode({
      store: (disk) => ({
        ...disk,
        listDefinitionChanges: async (query) => {
          most = Math.max(most, ++under);
          looks++;
          await new Promise<void>((resolve) => world.after(3_000, resolve));
          under--;
          return disk.listDefinitionChanges(query);
        },
      }),
    });
    // A node that is alone looks twice a minute.
    await world.run(10 * MINUTE);
    expect(looks).toBeGreaterThan(10);
    expect(most).toBe(1);
  });
});
