import type { BlobStore, Caller, NodeContext } from '@signalbox/node/context';
import type { RunFeed } from '@signalbox/node/feed';
import type { CommitLoop } from '@signalbox/node/loop';
import type { Store } from '@signalbox/store';
import type { World } from './world.ts';

/**
 * A node as its operations see it: the code behind the API runs as it does in production, from the
 * checks of a request to the inbox. Only parts that no operation of the simulator uses are absent.
 */
export function frontDoor(
  world: World,
  node: {
    readonly name: string;
    readonly loop: CommitLoop;
    readonly store: Store;
    readonly blobs: BlobStore;
    readonly feed: RunFeed | null;
    readonly timers: NonNullable<NodeContext['timers']>;
  },
): NodeContext {
  const silent = () => {};
  return {
    ...node,
    version: 'sim',
    partitions: world.options.partitions,
    factsMs: world.options.wild.keeping?.factsMs ?? Number.POSITIVE_INFINITY,
    // Nobody prints anything.
    logs: { append: silent, flush: async () => {} },
    log: { warn: silent, info: silent, debug: silent, error: silent },
  } as unknown as NodeContext;
}

export function callerOf(tenant: string): Caller {
  return { key: 'sim', tenant, role: 'operator', platform: false, ip: '', requestId: '' };
}
