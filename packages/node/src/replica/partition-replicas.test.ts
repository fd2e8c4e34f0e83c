import { encodeCheckpoint } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, expect, it } from 'vitest';
import type { CommitLoop } from '../loop/index.ts';
import { SmallNode } from '../operations/testing/small-node.ts';
import { PartitionReplicas } from './partition-replicas.ts';

const nodes: SmallNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

it('a partition that was not looked at for long is read again, whatever was dropped since', async () => {
  const disk = createMemoryStore({ now: () => Date.now() });
  const node = await SmallNode.start({ disk, loop: { partitions: 1 } });
  nodes.push(node);
  await node.define('mail');
  await node.submit({ job: 'mail' });
  let nowMs = 0;
  let isDropped = false;
  const store: Store = {
    ...disk,
    readGroups: async (query) => (isDropped ? [] : disk.readGroups(query)),
  };
  const { specs } = node.context.loop;
  const loop = { time: { monotonic: () => nowMs }, specs } as unknown as CommitLoop;
  const replicas = new PartitionReplicas(loop, store);
  const { seq: before } = await replicas.read(0);
  await node.submit({ job: 'mail' });
  await node.submit({ job: 'mail' });
  const checkpoint = checkpointOf(node);
  await disk.writeCheckpoint({ partition: 0, ...checkpoint });
  isDropped = true;
  nowMs += 3_600_000;
  const { seq: after, book } = await replicas.read(0);
  expect(after).toBe(checkpoint.seq);
  expect(after).toBeGreaterThan(before);
  expect(book.runs.size).toBe(3);
});

it('a reader whose groups are dropped while it reads continues from the newer checkpoint', async () => {
  const disk = createMemoryStore({ now: () => Date.now() });
  const node = await SmallNode.start({ disk, loop: { partitions: 1 } });
  nodes.push(node);
  await node.define('mail');
  for (let i = 0; i < 3; i++) await node.submit({ job: 'mail' });
  const checkpoint = checkpointOf(node);
  let reads = 0;
  const store: Store = {
    ...disk,
    // The first groups are gone when the reader comes to them; the owner has written a checkpoint by then.
    readGroups: async (query) => {
      const groups = await disk.readGroups(query);
      if (++reads > 1) return groups;
      await disk.writeCheckpoint({ partition: 0, ...checkpoint });
      return groups.slice(1);
    },
  };
  const { specs } = node.context.loop;
  const loop = { time: { monotonic: () => 0 }, specs } as unknown as CommitLoop;
  const { book, seq } = await new PartitionReplicas(loop, store).read(0);
  expect(seq).toBe(checkpoint.seq);
  expect(book.runs.size).toBe(3);
  const lossy: Store = { ...disk, readGroups: async () => (await disk.readGroups(ALL)).slice(1) };
  await expect(
    new PartitionReplicas(loop, { ...lossy, readCheckpoint: async () => null }).read(0),
  ).rejects.toMatchObject({ kind: 'damaged' });
});

const ALL = { partition: 0, afterSeq: 0, limit: 500, bytes: 1e9 };

function checkpointOf(node: SmallNode) {
  const book = node.context.loop.engine.core.books.get(0);
  const held = node.context.loop.leases.held.get(0);
  if (book === undefined || held === undefined) throw new Error('partition 0 is not here');
  return { seq: held.nextSeq - 1, epoch: held.epoch, chunks: encodeCheckpoint(book) };
}
