import { type ScheduleDefinition, scheduleKey, type WindowHead } from '@signalbox/engine';
import { type Store, StoreError } from '@signalbox/store';
import type { MemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

const MINUTE = 60_000;

async function save(
  world: VirtualWorld,
  definition: Partial<ScheduleDefinition> & { name?: string; version?: number } = {},
): Promise<void> {
  const { name = 'minutely', version = 1, ...own } = definition;
  const when = { kind: 'interval', everyMs: MINUTE, anchorAt: world.nowMs } as const;
  const body = JSON.stringify({ job: 'job', when, ...own });
  const change = { tenant: 'acme', kind: 'schedule', name, author: 'ann', body };
  const result = await world.disk.putDefinition({ ...change, expectedVersion: version - 1 });
  expect(result).toEqual({ kind: 'written', version });
}

async function setup(params: Parameters<VirtualWorld['startNode']>[0] = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'job');
  const node = await world.startNode(params);
  node.attach('w');
  node.finishEverything();
  return { world, node };
}

async function windows(world: VirtualWorld): Promise<WindowHead[]> {
  const runs = await world.disk.listRuns({ tenant: 'acme', before: null, limit: 10_000 });
  return runs.map(({ run }) => JSON.parse(run.head).window as WindowHead).reverse();
}

/** Every minute from the first window on, none missing, none twice. */
function expectGapless(found: readonly WindowHead[], count: number): void {
  const first = found[0]?.at ?? 0;
  expect(found.map(({ at }) => (at - first) / MINUTE)).toEqual(
    Array.from({ length: count }, (_, i) => i),
  );
}

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

  it('TRG-12 U032 go on with another node after every kind of end of the one before', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    let node: VirtualNode | null = null;
    for (let life = 0; life < 12; life++) {
      node = await world.startNode({ name: `node-${life}`, loop: { checkpointFacts: 5 } });
      node.attach('w');
      node.finishEverything();
      await world.run(2 * MINUTE + life * 5_000);
      if (life % 2 === 0) node.loop.halt();
      else {
        const stopped = node.loop.stop();
        await world.run(1_000);
        await stopped;
      }
      expect(node.fatal).toEqual([]);
    }
    const found = await windows(world);
    expectGapless(found, found.length);
    expect(found.length).toBeGreaterThan(24);
  });

  it('U036 are late and not lost while the store is away, and the run says so', async () => {
    let away = false;
    const { world, node } = await setup({
      store: (disk) => ({
        ...disk,
        append: async (commit) => {
          if (away) throw new StoreError('unavailable', 'away');
          return disk.append(commit);
        },
        beat: async (request) => {
          if (away) throw new StoreError('unavailable', 'away');
          return disk.beat(request);
        },
      }),
    });
    await save(world, { catchUp: { windowsMax: 10 } });
    await world.run(MINUTE + 1_000);
    away = true;
    await world.run(3 * MINUTE);
    away = false;
    await world.run(MINUTE);
    const found = await windows(world);
    expectGapless(found, 5);
    const runs = (await world.disk.listRuns({ tenant: 'acme', before: null, limit: 99 })).reverse();
    const lateMs = runs.map(({ run }, i) => run.id.ms - found[i]!.planned);
    expect(lateMs[0]).toBeLessThan(100);
    expect(Math.max(...lateMs)).toBeGreaterThan(2 * MINUTE);
    expect(node.released.filter((effect) => effect.kind === 'alert').length).toBeGreaterThan(0);
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

  it('an edit that was made while nobody owned the partition is carried out from its saving', async () => {
    const { world, node } = await setup();
    await save(world);
    await world.run(2 * MINUTE + 500);
    node.loop.halt();
    await world.run(MINUTE);
    const when = { kind: 'interval', everyMs: 2 * MINUTE, anchorAt: world.nowMs + 1 } as const;
    await save(world, { version: 2, when });
    const savedAt = world.nowMs;
    await world.run(5 * MINUTE);
    const next = await world.startNode({ name: 'node-b' });
    next.attach('w');
    await world.run(10_000);
    const found = (await windows(world)).map(({ at }) => at);
    expectGapless(
      found.slice(0, 3).map((at) => ({ at, schedule: '', planned: at })),
      3,
    );
    expect(found.slice(3)).toEqual([1, 2 * MINUTE + 1, 4 * MINUTE + 1].map((ms) => savedAt + ms));
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

  it('F14 are found though the clock of the store was set back and looks failed meanwhile', async () => {
    let backMs = 0;
    let fails = false;
    const { world } = await setup({
      store: (disk) => ({
        ...disk,
        now: async () => {
          if (fails) throw new StoreError('unavailable', 'away');
          return world.nowMs - backMs;
        },
      }),
    });
    await world.run(2 * MINUTE);
    fails = true;
    backMs = 3_600_000;
    world.nowMs -= backMs;
    await save(world);
    world.nowMs += backMs;
    await world.run(2 * MINUTE);
    fails = false;
    await world.run(2 * MINUTE);
    expect((await windows(world)).length).toBeGreaterThan(0);
  });

  it('TRG-18 a run whose window was decided before a crash is handed out afterwards, once', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world, { when: { kind: 'instant', at: world.nowMs + 10_000 } });
    const before = await world.startNode({ name: 'a' });
    await world.run(10_050);
    // The window has advanced and its run is durable; nobody was there to take it.
    expect(await windows(world)).toHaveLength(1);
    expect(before.assigned()).toHaveLength(0);
    before.loop.halt();
    await world.run(6_000);
    const after = await world.startNode({ name: 'b' });
    after.attach('w');
    after.finishEverything();
    await world.run(10_000);
    expect(after.assigned()).toHaveLength(1);
    expect(await windows(world)).toHaveLength(1);
    const ended = await world.disk.listRuns({
      tenant: 'acme',
      before: null,
      limit: 9,
      ended: true,
    });
    expect(ended).toHaveLength(1);
  });

  it('TRG-20 a restart of 45 s over a due time starts the run once, and reading it again nothing', async () => {
    const { world, node } = await setup({ name: 'a' });
    await save(world);
    await world.run(2 * MINUTE - 20_000);
    node.loop.halt();
    await world.run(45_000);
    const next = await world.startNode({ name: 'b' });
    next.attach('w');
    next.finishEverything();
    await world.run(MINUTE);
    await next.loop.schedules.refresh();
    await next.loop.schedules.refresh();
    await world.run(MINUTE);
    const found = await windows(world);
    expectGapless(found, found.length);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(found.some(({ catchUp }) => catchUp)).toBe(false);
  });

  it('U044 nodes whose clocks differ by a minute never own together, and lose no window', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    const fast = await world.startNode({ name: 'fast', skewMs: 60_000 });
    const slow = await world.startNode({ name: 'slow', skewMs: -60_000 });
    for (const node of [fast, slow]) {
      node.attach('w');
      node.finishEverything();
    }
    for (let second = 0; second < 300; second++) {
      await world.run(1_000);
      expect([fast, slow].filter(({ loop }) => loop.owns(0)).length).toBeLessThanOrEqual(1);
    }
    const [owner, other] = fast.loop.owns(0) ? [fast, slow] : [slow, fast];
    owner.loop.halt();
    await world.run(5 * MINUTE);
    expect(other.loop.owns(0)).toBe(true);
    expectGapless(await windows(world), 10);
    expect([...fast.fatal, ...slow.fatal]).toEqual([]);
  });

  it.each([3_600_000, -3_600_000])(
    'U043 a clock that jumps by %d ms loses no worker and no lease',
    async (jumpMs) => {
      const { world, node } = await setup();
      node.beating('w');
      await save(world);
      await world.run(3 * MINUTE);
      const { workers } = node.engine.core.workers;
      expect(workers.size).toBe(1);
      world.storeSkewMs = jumpMs;
      node.events.length = 0;
      await world.run(3 * MINUTE);
      expect(node.saw('leaseLost')).toBe(false);
      expect(node.loop.owns(0)).toBe(true);
      expect(workers.has('w')).toBe(true);
      const lost = node.released.filter((e) => e.kind === 'alert' && e.alert === 'workerLost');
      expect(lost).toEqual([]);
    },
  );

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
