import { type ScheduleDefinition, type ScheduleSpec, scheduleKey } from '@signalbox/engine';
import { type Definition, StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { save, setup, windows } from './testing/minutely.ts';
import type { VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

const SECOND = 1_000;
const OFTEN: Partial<ScheduleDefinition> = {
  when: { kind: 'interval', everyMs: SECOND, anchorAt: 0 },
  catchUp: { windowsMax: 100, order: 'oldest' },
};

/** A node that is alone, and a store that comes and goes: saving works before the lease is back. */
async function outages() {
  const store = { away: false };
  const failing = () => {
    if (store.away) throw new StoreError('unavailable', 'away');
  };
  const { world, node } = await setup({
    store: (disk) => ({
      ...disk,
      append: async (commit) => {
        failing();
        return disk.append(commit);
      },
      beat: async (request) => {
        failing();
        return disk.beat(request);
      },
    }),
  });
  await world.run(5 * SECOND);
  expect(node.loop.leases.isAlone).toBe(true);
  /** The store is away for so long that no lease can be relied on any more. */
  const goAway = async (): Promise<void> => {
    store.away = true;
    await world.run(8 * SECOND);
    expect(node.loop.owns(0)).toBe(false);
  };
  return { world, node, store, goAway };
}

/** Saves as the API does: the row first, then the node that saved it carries it out. */
async function change(
  { world, node }: { world: VirtualWorld; node: VirtualNode },
  params: { name: string; version: number; delete?: true } & Partial<ScheduleDefinition>,
): Promise<Definition> {
  const { name, version, delete: deletes, ...own } = params;
  const key = { tenant: 'acme', kind: 'schedule', name };
  if (deletes) {
    const deletion = { ...key, author: 'ann', expectedVersion: version - 1 };
    await world.disk.deleteDefinition(deletion);
  } else await save(world, { name, version, ...OFTEN, ...own });
  const saved = (await world.disk.getDefinition({ ...key, version })) as Definition;
  const adopted = node.loop.schedules.adopt(saved);
  await world.run(1);
  await adopted;
  return saved;
}

function adopted({ engine }: VirtualNode, name: string): ScheduleSpec | undefined {
  return engine.core.books.get(0)?.schedules.get(scheduleKey('acme', name))?.spec;
}

async function windowsAfter(world: VirtualWorld, { name, atMs }: Definition): Promise<number[]> {
  const found = await windows(world);
  return found.flatMap(({ schedule, at }) => (schedule === name && at > atMs ? [at] : []));
}

describe('schedules that are changed before the lease is back', () => {
  it('are paused, deleted, edited and created from the moment of saving', async () => {
    const { world, node, store, goAway } = await outages();
    for (const name of ['paused', 'gone', 'edited'])
      await change({ world, node }, { name, version: 1 });
    await world.run(3 * SECOND);
    await goAway();
    const paused = await change({ world, node }, { name: 'paused', version: 2, paused: true });
    const gone = await change({ world, node }, { name: 'gone', version: 2, delete: true });
    const edit = { name: 'edited', version: 2, input: '"new"' };
    const edited = await change({ world, node }, edit);
    const created = await change({ world, node }, { name: 'created', version: 1 });
    store.away = false;
    await world.run(30 * SECOND);
    expect(await windowsAfter(world, paused)).toEqual([]);
    expect(await windowsAfter(world, gone)).toEqual([]);
    expect((await windowsAfter(world, created)).length).toBeGreaterThanOrEqual(29);
    expect(adopted(node, 'edited')?.input).toBe('"new"');
    const runs = await world.disk.listRuns({ tenant: 'acme', before: null, limit: 1_000 });
    for (const { run } of runs) {
      const { window } = JSON.parse(run.head) as { window: { schedule: string; at: number } };
      if (window.schedule !== 'edited') continue;
      expect(run.inputBytes > 0, `window ${window.at}`).toBe(window.at > edited.atMs);
    }
  });

  it('lose no window of a version that was replaced before anybody adopted it', async () => {
    const { world, node, store, goAway } = await outages();
    await goAway();
    const created = await change({ world, node }, { name: 'new', version: 1 });
    await world.run(4 * SECOND);
    const paused = await change({ world, node }, { name: 'new', version: 2, paused: true });
    store.away = false;
    await world.run(10 * SECOND);
    const expected: number[] = [];
    const first = Math.floor(created.atMs / SECOND) + 1;
    for (let at = first * SECOND; at <= paused.atMs; at += SECOND) expected.push(at);
    expect(await windowsAfter(world, created)).toEqual(expected);
    expect(expected).toHaveLength(4);
  });

  it('have the windows of their short life where they are created and deleted meanwhile', async () => {
    const { world, node, store, goAway } = await outages();
    await goAway();
    const created = await change({ world, node }, { name: 'short', version: 1 });
    await world.run(3 * SECOND);
    await change({ world, node }, { name: 'short', version: 2, delete: true });
    store.away = false;
    await world.run(30 * SECOND);
    expect(await windowsAfter(world, created)).toHaveLength(3);
    expect(adopted(node, 'short')).toBeUndefined();
  });
});
