import { expect, it } from 'vitest';
import { helloOf, TestWorker } from '../../gateway/testing/test-worker.ts';
import { startNode } from '../../start-node.ts';
import { listWorkers } from '../index.ts';
import { caller } from '../testing/small-node.ts';

it('a worker that left in good order is not listed any more, from that moment on', async () => {
  const node = await startNode({ store: 'memory:', http: false });
  try {
    const worker = await TestWorker.connect(node.gateway, helloOf('w'));
    await node.context.loop.flushed();
    const names = async () => {
      const { items } = await listWorkers(node.context, caller(), {});
      return items.map(({ name }) => name);
    };
    expect(await names()).toEqual(['w']);
    worker.say({ kind: 'bye' });
    await worker.closed();
    await node.context.loop.flushed();
    // The engine keeps its record for a while, in case the connection was only lost.
    expect(node.context.loop.engine.core.workers.workers.has('w')).toBe(true);
    expect(await names()).toEqual([]);
  } finally {
    await node.stop();
  }
});
