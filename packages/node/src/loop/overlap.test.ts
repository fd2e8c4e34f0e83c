import type { Store } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { type NodeParams, VirtualWorld } from './testing/virtual-world.ts';

/** A node whose commits take ten milliseconds, and what it did in which order. */
async function start(params: NodeParams & { blocks?: true } = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  const order: string[] = [];
  const slow = (real: Store): Partial<Store> => ({
    ...(params.blocks && { blocks: true }),
    append: async (commit) => {
      order.push('commit');
      const result = await real.append(commit);
      await new Promise<void>((resolve) => world.after(10, resolve));
      return result;
    },
  });
  const node = await world.startNode({ ...params, store: (disk) => faulty(disk, slow) });
  node.attach('w', 100);
  await world.run(50);
  order.length = 0;
  node.onEffect = ({ kind }) => void order.push(kind);
  const spec = await node.spec('acme', 'mail');
  return { world, node, spec, order };
}

describe('store and world at once', () => {
  it.each([
    ['somewhere else before the world is told', {}, ['commit', 'commit', 'assign', 'assign']],
    ['on this thread after that', { blocks: true }, ['commit', 'assign', 'commit', 'assign']],
  ] as const)(
    'what has gathered is with a store %s of the commit before',
    async (_, params, told) => {
      const { world, node, spec, order } = await start(params);
      void node.submit(spec);
      await world.run(5);
      void node.submit(spec);
      await world.run(30);
      expect(order).toEqual(told);
    },
  );

  it('what has nothing to write is not told before what was decided before it', async () => {
    const { world, node, spec } = await start();
    const told: string[] = [];
    void node.submit(spec, { key: 'once' }).then(({ kind }) => told.push(kind));
    await world.run(5);
    void node.submit(spec, { key: 'once' }).then(({ kind }) => told.push(kind));
    await world.run(4);
    expect(told).toEqual([]);
    await world.run(30);
    expect(told).toEqual(['accepted', 'duplicate']);
  });

  it('an idle store gets the first part of a burst at once, a busy one the rest together', async () => {
    const { world, node, spec } = await start({ loop: { idleTurnFactsMax: 10 } });
    node.events.length = 0;
    for (let i = 0; i < 60; i += 1) void node.submit(spec);
    await world.run(50);
    const facts = node.events.flatMap((event) => (event.kind === 'committed' ? [event.facts] : []));
    expect(facts).toEqual([20, 100]);
  });

  it('an error in the next group is fatal to the node, and what became durable before it is told', async () => {
    const { world, node, spec } = await start({ loop: { checkpointFacts: 3 } });
    const told: string[] = [];
    void node.submit(spec).then(({ kind }) => told.push(kind));
    await world.run(5);
    void node.submit(spec).then(({ kind }) => told.push(kind));
    await world.run(1);
    const broken = new Error('what a checkpoint reads is broken');
    Object.defineProperty(node.engine.core.books.get(0), 'schedules', {
      get: () => {
        throw broken;
      },
    });
    await world.run(60);
    expect(told).toEqual(['accepted', 'refused']);
    expect(node.fatal).toEqual([broken]);
  });
});
