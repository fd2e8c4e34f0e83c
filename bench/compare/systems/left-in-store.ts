import { startNode } from '@signalbox/node';
import { queueDepth } from '@signalbox/node/operations';

const caller = {
  key: 'bench',
  tenant: '*',
  role: 'admin',
  platform: true,
  ip: '',
  requestId: '',
} as const;

/**
 * Tasks that have not ended, as a node finds them that knows nothing but the store: what it finds is
 * what a crash would have left.
 */
export async function leftInStore(store: string, dataDir: string): Promise<number> {
  const node = await startNode({ store, dataDir, http: false, retention: false });
  try {
    await node.ready();
    // It owns its partitions a step before it has read them: until then it finds nothing.
    await node.context.loop.flushed();
    const { items } = await queueDepth(node.context, caller, {});
    return items.reduce((sum, { queued, running }) => sum + queued + running, 0);
  } finally {
    await node.stop();
  }
}
