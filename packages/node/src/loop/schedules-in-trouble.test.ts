import { runWindow, seededRandom } from '@signalbox/engine';
import { type Store, StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { expectGapless, MINUTE, save, setup, windows } from './testing/minutely.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

describe('schedules in the loop, in trouble', () => {
  it('TRG-12 go on with another node after every kind of end of the one before', async () => {
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

  it('U032 lose no window where the owner ends in any second of a minute', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    const ends = new Set<number>();
    const startedAt = world.nowMs;
    for (let second = 0; second < 60; second++) {
      const node = await world.startNode({ name: `node-${second}` });
      const passedMs = (world.nowMs - startedAt) % MINUTE;
      await world.run(((second * 1_000 - passedMs + MINUTE) % MINUTE) + 500);
      expect(node.loop.owns(0)).toBe(true);
      ends.add(Math.floor(((world.nowMs - startedAt) % MINUTE) / 1_000));
      node.loop.halt();
      // The lease of the dead node ends.
      await world.run(6_000);
    }
    await world.startNode({ name: 'last' });
    await world.run(MINUTE);
    expect(ends.size).toBe(60);
    expectGapless(await windows(world), Math.floor((world.nowMs - startedAt) / MINUTE));
  });

  it('TRG-12 TRG-28 1,000 windows of one partition, two nodes that crash or are cut off: each once', async () => {
    const random = seededRandom(12);
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    const when = { kind: 'interval', everyMs: 1_000, anchorAt: world.nowMs } as const;
    await save(world, { when, catchUp: { windowsMax: 100 }, overlap: 'allow' });
    let lives = 0;
    const start = async () => {
      const way = { cut: false };
      const node = await world.startNode({
        name: `node-${lives++}`,
        store: (disk) => {
          const cut = () => Promise.reject(new StoreError('unavailable', 'cut off'));
          return faulty(disk, (real) => ({
            append: (commit) => (way.cut ? cut() : real.append(commit)),
            beat: (request) => (way.cut ? cut() : real.beat(request)),
          }));
        },
      });
      return { node, way };
    };
    const pair = [await start(), await start()];
    const startedAt = world.nowMs;
    let takeOvers = 0;
    for (let owner: VirtualNode | undefined; world.nowMs - startedAt < 1_010_000; ) {
      await world.run(1 + random.int(12_000));
      const owners = pair.filter(({ node }) => node.loop.owns(0)).map(({ node }) => node);
      expect(owners.length).toBeLessThanOrEqual(1);
      if (owners[0] !== undefined && owners[0] !== owner) takeOvers++;
      owner = owners[0] ?? owner;
      const hit = random.int(2);
      for (const each of pair) each.way.cut = false;
      if (random.int(2) === 0) {
        pair[hit]?.node.loop.halt();
        pair[hit] = await start();
      } else (pair[hit] as (typeof pair)[0]).way.cut = true;
    }
    for (const each of pair) each.way.cut = false;
    await world.run(20_000);
    const found = (await windows(world)).map(({ at }) => at);
    expect(found.length).toBeGreaterThanOrEqual(1_000);
    expect(found.toSorted((a, b) => a - b)).toEqual(
      found.map((_, i) => (found[0] as number) + i * 1_000),
    );
    expect(takeOvers).toBeGreaterThan(30);
  }, 60_000);

  it.each([
    ['before', false],
    ['after', true],
  ])(
    'TRG-13 have a run for each mark and a mark for each run, with a crash %s each single write',
    async (_when, written) => {
      let write = 0;
      for (let isLast = false; !isLast; ) {
        write++;
        const world = new VirtualWorld();
        await world.define('acme', 'job');
        await save(world, { catchUp: { windowsMax: 100 } });
        const savedAt = world.nowMs;
        let writes = 0;
        const store = (disk: Store) =>
          faulty(disk, (real) => ({
            append: async (commit) => {
              if (++writes === write && written) await real.append(commit);
              // The process is gone: nobody learns how this write ended, and none follows it.
              return writes >= write ? new Promise<never>(() => {}) : real.append(commit);
            },
          }));
        const node = await world.startNode({ name: 'a', store });
        node.attach('w');
        node.finishEverything();
        await world.run(5 * MINUTE);
        isLast = writes < write;
        node.loop.halt();
        await world.run(6_000);
        const next = await world.startNode({ name: 'b' });
        await world.run(1_000);
        const [schedule] = next.engine.core.books.get(0)?.schedules.values() ?? [];
        const found = await windows(world);
        const passed = Math.floor((world.nowMs - savedAt) / MINUTE);
        expect(found.map(({ at }) => at)).toEqual(
          Array.from({ length: passed }, (_, i) => savedAt + (i + 1) * MINUTE),
        );
        expect(schedule?.decidedUpTo).toBe(found.at(-1)?.at);
      }
      expect(write).toBeGreaterThan(5);
    },
  );

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
    const [window] = await windows(world);
    // Its handler learns the window although another node hands it out.
    const { run } = after.assigned()[0]?.attempt.task ?? {};
    expect(runWindow(run?.head ?? {})).toEqual({
      schedule: window?.schedule,
      at: window?.at,
      kind: 'scheduled',
    });
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

  it('U044 TRG-28 nodes whose clocks differ by a minute never own together, and lose no window', async () => {
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
});
