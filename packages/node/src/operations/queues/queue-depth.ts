import { CLASSES, parseQueueLane } from '@signalbox/engine';
import { PLATFORM, type QueueDepth } from '@signalbox/protocol';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { operation } from '../common/operation.ts';

/**
 * What waits and what runs, by priority: of one tenant, or of all for the platform (`*`). Runs that
 * wait in the store are counted by their lanes, so a backlog of millions is not looked at (API-06).
 */
export const queueDepth = operation(
  async (context, caller, _params: object = {}): Promise<{ items: QueueDepth[] }> => {
    refuseUnread(context);
    const { core } = context.loop.engine;
    const all = caller.platform && caller.tenant === PLATFORM;
    const depths = new Map<string, QueueDepth[]>();
    const of = (tenant: string): QueueDepth[] => {
      let depth = depths.get(tenant);
      if (depth === undefined) {
        depth = CLASSES.map((name) => ({ tenant, priority: name, queued: 0, running: 0 }));
        depths.set(tenant, depth);
      }
      return depth;
    };
    if (!all) of(caller.tenant);
    for (const owner of core.tenantClasses()) {
      if (!all && owner.tenant !== caller.tenant) continue;
      const depth = of(owner.tenant)[owner.class] as QueueDepth;
      depth.queued += owner.queued;
      depth.running += owner.running;
    }
    for (const book of core.books.values()) {
      for (const lane of book.lanes.values()) {
        const queue = parseQueueLane(lane.name);
        if (queue === null || (!all && queue.tenant !== caller.tenant)) continue;
        (of(queue.tenant)[queue.class] as QueueDepth).queued += lane.parked;
      }
    }
    return { items: [...depths.values()].flat() };
  },
);

/** A partition that is still being read in looks empty: zero would be a lie about what waits in it. */
function refuseUnread({ loop }: NodeContext): void {
  const held = [...loop.leases.held.keys()];
  const unread = held.filter((partition) => !loop.hasRead(partition)).length;
  if (held.length > 0 && unread === 0) return;
  const message = `${unread} of ${held.length} partitions are still being read; retry`;
  throw new ApiError('unavailable', message, { retryAfterSeconds: 1 });
}
