import { type Command, type JobSpec, partitionOf } from '@signalbox/engine';
import { expect, it } from 'vitest';
import { processorMsUntil } from '../../../../tools/testing/processor-time.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

const BATCHES = 20;
const ITEMS = 1_000;

function batch(node: VirtualNode, spec: JobSpec, number: number): Command[] {
  const partition = partitionOf(spec.tenant, spec.job, node.loop.settings.partitions);
  return Array.from({ length: ITEMS }, (_, i): Command => {
    return { kind: 'submit', partition, spec, head: { key: `${number}/${i}` }, input: null };
  });
}

it('DUR-06 batches whose keys only the store remembers cost one pass, however many there are', async () => {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  // All of them are in one group.
  const loop = { turnFactsMax: 100_000, pendingFactsMax: 100_000, idleTurnFactsMax: 100_000 };
  const node = await world.startNode({ settings: { keysKept: 1 }, loop });
  const spec = await node.spec('acme', 'mail');
  const sendAll = async () => {
    const sent = Array.from({ length: BATCHES }, (_, i) =>
      node.loop.executeAll(batch(node, spec, i)),
    );
    await world.run(10_000);
    return (await Promise.all(sent)).flat();
  };
  const first = await sendAll();
  let again: typeof first = [];
  // A pass over all facts for each of the 20,000 keys took 12 s.
  const tookMs = await processorMsUntil(async () => {
    again = await sendAll();
  });
  expect(node.saw('keyTaken')).toBe(true);
  expect(again).toEqual(first.map((answer) => ({ ...answer, kind: 'duplicate' })));
  expect(world.disk.snapshot().runs).toHaveLength(BATCHES * ITEMS);
  expect(tookMs).toBeLessThan(3_000);
}, 60_000);
