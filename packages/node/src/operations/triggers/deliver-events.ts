import type { NodeContext } from '../../context/node-context.ts';
import { randomAlias } from '../../inbox/inbox-alias.ts';
import { packEvents } from '../../loop/index.ts';
import type { Event } from '../../triggers/event.ts';
import { sentEvent } from '../../triggers/sent-event.ts';

/**
 * Stores events durably for runs that wait for their type, now or later: in the inbox of every subscribed
 * partition. Partitions of this node use the inbox too, because it may contain a submission that another node has
 * acknowledged and that waits for the event.
 */
export async function deliverEvents(
  context: NodeContext,
  tenant: string,
  { events, identity }: { readonly events: readonly Event[]; readonly identity?: string },
): Promise<void> {
  const { loop, store, triggers } = context;
  const byPartition = new Map<number, Event[]>();
  for (const event of events) {
    for (const partition of triggers.subscriptions.index.partitionsOf(tenant, event.type)) {
      const others = byPartition.get(partition);
      if (others === undefined) byPartition.set(partition, [event]);
      else others.push(event);
    }
  }
  if (byPartition.size === 0) return;
  const atMs = loop.time.now();
  const puts = [...byPartition].map(([partition, delivered]) => {
    const id = randomAlias(partition, atMs);
    const sent = delivered.map((event) => sentEvent(event, identity));
    return store.putInbox({ id, partition, tenant, atMs, ...packEvents(sent) });
  });
  await Promise.all(puts);
  if ([...byPartition.keys()].some((partition) => loop.owns(partition))) loop.lookIntoInbox();
}
