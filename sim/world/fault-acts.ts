import type { Command } from '@signalbox/engine';
import type { SimNode } from './node.ts';
import type { FaultName } from './options.ts';
import { between, chance, type Dice, pick } from './streams.ts';
import type { SimWorker } from './worker.ts';
import type { World } from './world.ts';

type Act = (world: World, dice: Dice) => void;

/** Most harm is short; now and then it lasts longer than every lease and every grace. */
function lasting(dice: Dice, shortMs: number, longMs: number): number {
  return chance(dice, 0.7) ? between(dice, shortMs / 10, shortMs) : between(dice, shortMs, longMs);
}

function note(world: World, what: string): void {
  world.history.add({ kind: 'fault', what, on: true });
}

function crashNode(world: World, node: SimNode, downMs: number): void {
  if (node.process === null) return;
  note(world, `${node.actor.name} crashes`);
  node.crash();
  world.clockwork.after(downMs, world.operator, () => node.start());
}

function pause(world: World, who: SimNode | SimWorker, ms: number): void {
  if (who.actor.paused) return;
  note(world, `${who.actor.name} stands still`);
  who.actor.paused = true;
  world.nemesis.undo(ms, `${who.actor.name} stands still`, () => world.clockwork.resume(who.actor));
}

/** Orders about workers go to every node: each has its own register. */
export function order(world: World, command: (node: SimNode) => Command): void {
  for (const node of world.nodes) void node.process?.loop.execute(command(node));
}

function cutStore(world: World, dice: Dice, which: 'requestsCut' | 'answersCut'): void {
  const node = pick(dice, world.nodes);
  const what = `${node.actor.name} to store: ${which}`;
  note(world, what);
  node.way[which] = true;
  world.nemesis.undo(lasting(dice, 8_000, 60_000), what, () => {
    node.way[which] = false;
  });
}

function forAllWays(world: World, set: (way: SimNode['way']) => void): void {
  for (const node of world.nodes) set(node.way);
  set(world.clients.way);
}

export const FAULT_ACTS: { readonly [F in FaultName]: Act } = {
  'node.crash': (world, dice) =>
    crashNode(world, pick(dice, world.nodes), lasting(dice, 3_000, 40_000)),
  'node.pause': (world, dice) =>
    pause(world, pick(dice, world.nodes), lasting(dice, 6_000, 40_000)),
  'node.stop': (world, dice) => {
    const node = pick(dice, world.nodes);
    if (node.process === null || node.actor.paused) return;
    note(world, `${node.actor.name} stops in order`);
    void node.stop();
    world.clockwork.after(lasting(dice, 3_000, 20_000), world.operator, () => {
      if (node.process === null) node.start();
      else crashNode(world, node, 1_000);
    });
  },
  'nodes.all-down': (world, dice) => {
    const downMs = lasting(dice, 20_000, 300_000);
    for (const node of world.nodes) crashNode(world, node, downMs + between(dice, 0, 2_000));
  },
  'worker.crash': (world, dice) => {
    const worker = pick(dice, world.workers);
    note(world, `${worker.name} crashes`);
    world.workerDied(worker);
  },
  'worker.pause': (world, dice) => {
    pause(world, pick(dice, world.workers), lasting(dice, 10_000, 60_000));
  },
  'worker.hang': (world, dice) => {
    const worker = pick(dice, world.workers);
    note(world, `${worker.name} falls silent`);
    worker.hangs = true;
    world.nemesis.undo(lasting(dice, 12_000, 60_000), `${worker.name} falls silent`, () => {
      worker.hangs = false;
    });
  },
  'worker.drain': (world, dice) => {
    const worker = pick(dice, world.workers);
    note(world, `${worker.name} drains`);
    worker.drains = chance(dice, 0.5);
    order(world, () => ({ kind: 'drainWorker', worker: worker.name }));
    world.nemesis.undo(between(dice, 5_000, 30_000), `${worker.name} drains`, () => {
      if (chance(dice, 0.5)) world.workerDied(worker);
      worker.drains = false;
      order(world, () => ({ kind: 'uncordonWorker', worker: worker.name }));
    });
  },
  'worker.cordon': (world, dice) => {
    const worker = pick(dice, world.workers);
    order(world, () => ({ kind: 'cordonWorker', worker: worker.name }));
    world.nemesis.undo(between(dice, 5_000, 30_000), `${worker.name} cordoned`, () => {
      order(world, () => ({ kind: 'uncordonWorker', worker: worker.name }));
    });
  },
  'worker.evict': (world, dice) => {
    const worker = pick(dice, world.workers);
    note(world, `${worker.name} evicted`);
    order(world, () => ({ kind: 'evictWorker', worker: worker.name }));
  },
  'link.cut': (world, dice) => cutLinks(world, dice, 'both'),
  'link.cut-one-way': (world, dice) => cutLinks(world, dice, pick(dice, ['to', 'from'])),
  'link.half-open': (world, dice) => {
    // Gone without a word: nobody is told that the connection is dead.
    const worker = pick(dice, world.workers);
    note(world, `${worker.name} vanishes`);
    worker.crash(true);
    world.clockwork.after(lasting(dice, 5_000, 60_000), world.operator, () => worker.start());
  },
  'link.clog': (world, dice) => {
    const worker = pick(dice, world.workers);
    const node = pick(dice, world.nodes);
    const what = `${worker.name} and ${node.actor.name} clogged`;
    note(world, what);
    world.network.clog(worker.actor, node.actor);
    world.network.clog(node.actor, worker.actor);
    world.nemesis.undo(lasting(dice, 5_000, 40_000), what, () => {
      world.network.unclog(worker.actor, node.actor);
      world.network.unclog(node.actor, worker.actor);
    });
  },
  'net.bad': (world, dice) => {
    note(world, 'bad weather');
    Object.assign(world.network.weather, {
      latencyMs: [1, pick(dice, [20, 200, 1_500])],
      loss: pick(dice, [0, 0.02, 0.3]),
      duplication: pick(dice, [0, 0.1, 0.5]),
      reordering: pick(dice, [0, 0.2, 0.7]),
    });
    world.nemesis.undo(lasting(dice, 30_000, 120_000), 'bad weather', () => {
      Object.assign(world.network.weather, {
        latencyMs: [0.5, 8],
        loss: 0,
        duplication: 0,
        reordering: 0,
      });
    });
  },
  'store.cut': (world, dice) => cutStore(world, dice, 'requestsCut'),
  'store.cut-answers': (world, dice) => cutStore(world, dice, 'answersCut'),
  'store.slow': (world, dice) => {
    const to = pick(dice, [150, 400, 1_500]);
    note(world, 'store slow');
    forAllWays(world, (way) => {
      way.latencyMs = [to / 2, to];
    });
    world.nemesis.undo(lasting(dice, 20_000, 120_000), 'store slow', () => {
      forAllWays(world, (way) => {
        way.latencyMs = [0.2, 3];
      });
    });
  },
  'store.away': (world, dice) => {
    note(world, 'store away');
    forAllWays(world, (way) => {
      way.away = true;
    });
    world.nemesis.undo(lasting(dice, 20_000, 90_000), 'store away', () => {
      forAllWays(world, (way) => {
        way.away = false;
      });
    });
  },
  'store.flaky': (world, dice) => {
    const errorShare = pick(dice, [0, 0.1, 0.3]);
    const unknownShare = pick(dice, [0.05, 0.2, 0.4]);
    note(world, 'store flaky');
    forAllWays(world, (way) => Object.assign(way, { errorShare, unknownShare }));
    world.nemesis.undo(lasting(dice, 20_000, 90_000), 'store flaky', () => {
      forAllWays(world, (way) => Object.assign(way, { errorShare: 0, unknownShare: 0 }));
    });
  },
  'store.stale': (world, dice) => {
    note(world, 'store stale');
    forAllWays(world, (way) => {
      way.stale = true;
    });
    world.nemesis.undo(lasting(dice, 30_000, 60_000), 'store stale', () => {
      forAllWays(world, (way) => {
        way.stale = false;
      });
    });
  },
  'clock.step': (world, dice) => {
    const max = world.options.clockStepMsMax;
    world.disk.step(Math.round(between(dice, -max, max)));
  },
};

function cutLinks(world: World, dice: Dice, way: 'both' | 'to' | 'from'): void {
  const node = pick(dice, world.nodes);
  const workers = chance(dice, 0.3) ? world.workers : [pick(dice, world.workers)];
  const what = `${node.actor.name} and ${workers.length} workers cut: ${way}`;
  note(world, what);
  const set = (isCut: boolean) => {
    for (const worker of workers) {
      if (way !== 'from') world.network.cut(node.actor, worker.actor, isCut);
      if (way !== 'to') world.network.cut(worker.actor, node.actor, isCut);
    }
  };
  set(true);
  world.nemesis.undo(lasting(dice, 10_000, 60_000), what, () => set(false));
}
