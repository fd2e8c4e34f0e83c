import { partitionOf } from '@signalbox/engine';
import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { faulty } from '../../loop/testing/faulty-store.ts';
import { PartitionReplicas } from '../../replica/partition-replicas.ts';
import { getRun, listRuns, submitRuns } from '../index.ts';
import { caller, HOLD, SmallNode, turn } from '../testing/small-node.ts';

describe('a list of runs', () => {
  it('I20 shows a run that ends while the list is made as ended, not as waiting', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    let between: (() => Promise<void>) | null = null;
    const store = faulty(disk, (real) => ({
      listRuns: async (query) => {
        const rows = await real.listRuns(query);
        const hook = between;
        between = null;
        await hook?.();
        return rows;
      },
    }));
    const node = await SmallNode.start({ disk, store });
    await node.define('mail');
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    while ((await getRun(node.context, caller(), { id })).state !== 'RUNNING') await turn();
    between = async () => {
      const [attempt] = node.attempts;
      if (attempt === undefined) throw new Error('nothing was assigned');
      node.finish(attempt, { kind: 'succeeded', output: null });
      await getRun(node.context, caller(), { id, waitMs: 5_000 });
    };
    const { items } = await listRuns(node.context, caller(), {});
    expect(items.map(({ state }) => state)).toEqual(['SUCCEEDED']);
    await node.stop();
  });

  it('shows parked runs without reading each of them', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    let reads = 0;
    const store = faulty(disk, (real) => ({
      getRun: (query) => {
        reads++;
        return real.getRun(query);
      },
    }));
    const node = await SmallNode.start({ disk, store, engine: { horizonMs: 1_000 } });
    await node.define('mail');
    const runAt = new Date(Date.now() + 3_600_000).toISOString();
    const items = Array.from({ length: 20 }, () => ({ job: 'mail', runAt }));
    await submitRuns(node.context, caller(), { items });
    reads = 0;
    const listed = await listRuns(node.context, caller(), {});
    expect(new Set(listed.items.map(({ state }) => state))).toEqual(new Set(['PENDING']));
    expect(listed.items).toHaveLength(20);
    expect(reads).toBe(0);
    await node.stop();
  });

  it('on another node reads a partition whole once, however many live runs it has', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    const owner = await SmallNode.start({ disk });
    await owner.define('mail');
    const items = Array.from({ length: 20 }, () => ({ job: 'mail' }));
    await submitRuns(owner.context, caller(), { items });
    let wholes = 0;
    const store = faulty(disk, (real) => ({
      readCheckpoint: (partition) => {
        wholes++;
        return real.readCheckpoint(partition);
      },
    }));
    const other = SmallNode.idle({ disk, store });
    const replicas = new PartitionReplicas(other.context.loop, store, 10);
    const partition = partitionOf('acme', 'mail', owner.context.partitions);
    for (let i = 0; i < 10; i++) {
      const { book } = await replicas.read(partition, 0);
      expect(book.runs.size).toBe(20);
    }
    expect(wholes).toBe(1);
    await owner.stop();
  });
});
