import { decodeGroup, NO_RESOURCES } from '@signalbox/engine';
import { expect, it, onTestFinished } from 'vitest';
import { ApiWorld } from './api/testing/api-world.ts';
import type { NodeOptions } from './node-options.ts';

/** Where a node with these weights places a task that prefers `data=x`, and the score in the journal. */
async function placed(
  placementWeights: NonNullable<NodeOptions['placementWeights']>,
): Promise<{ worker: string; score: number }> {
  const world = await ApiWorld.start({ placementWeights, partitions: 1 });
  onTestFinished(() => world.stop());
  const { loop, store } = world.node.context;
  const workers = { near: { labels: { data: 'x' }, used: 0 }, full: { labels: {}, used: 8 } };
  for (const [name, { labels, used }] of Object.entries(workers)) {
    const total = { ...NO_RESOURCES, slots: 10 };
    const info = { name, instance: 'a', zone: 'a', labels, executors: ['handler:mail'], total };
    const foreignUse = { ...NO_RESOURCES, slots: used };
    loop.report({ kind: 'attachWorker', info, foreignUse, holds: [] });
  }
  const definition = {
    priority: 'P2',
    tasks: [{ name: 'main', handler: 'mail', prefer: { data: 'x' } }],
  };
  const made = await world.ask('/jobs', { body: { name: 'mail', definition }, tenant: 'acme' });
  expect(made.status, made.text).toBe(201);
  await world.ask('/runs', { body: { job: 'mail' }, tenant: 'acme' });
  await loop.flushed();
  const groups = await store.readGroups({ partition: 0, afterSeq: 0, limit: 100 });
  const facts = groups.flatMap(({ body }) => decodeGroup(0, body));
  const assigned = facts.flatMap((packed) =>
    packed.kind === 'fact' && packed.fact.kind === 'taskAssigned' ? [packed.fact] : [],
  );
  expect(assigned).toHaveLength(1);
  const [{ worker, score } = { worker: '', score: 0 }] = assigned;
  return { worker, score };
}

it('PLC-03 the weights of a node decide between locality and a tight fit, and the score is in the journal', async () => {
  // 4 × all of the labels, 2 × one of ten slots, 1 × an empty worker; with one zone there is no spread.
  expect(await placed({})).toEqual({ worker: 'near', score: 4_000 + 200 + 1_000 });
  // 20 × nine of ten slots.
  const tight = { locality: 1, tightFit: 20, balance: 0 };
  expect(await placed(tight)).toEqual({ worker: 'full', score: 18_000 });
});
