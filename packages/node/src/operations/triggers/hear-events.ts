import type { NodeContext } from '../../context/node-context.ts';
import { randomAlias } from '../../inbox/inbox-alias.ts';
import { packEvents } from '../../loop/index.ts';
import type { Event } from '../../triggers/event.ts';
import { sentEvent } from '../../triggers/sent-event.ts';

/**
 * Keeps events durably for the runs that wait for such ones, or will: in the inbox of each partition
 * where one may be, whoever owns it. By the inbox also where this node owns it itself, because a
 * submission that another node has acknowledged may be in there, and the event may be meant for it.
 */
export async function hearEvents(
  context: NodeContext,
  tenant: string,
  { events, identity }: { readonly events: readonly Event[]; readonly identity?: string },
): Promise<void> {
  const { loop, store, triggers } = context;
  const byPartition = new Map<number, Event[]>();
  for (const event of events) {
    for (const partition of triggers.hearing.book.partitionsOf(tenant, event.type)) {
      const heard = byPartition.get(partition);
      if (heard === undefined) byPartition.set(partition, [event]);
      else heard.push(event);
    }
  }
  if (byPartition.size === 0) return;
  const atMs = loop.time.now();
  const puts = [...byPartition].map(([partition, heard]) => {
    const id = randomAlias(partition, atMs);
    const sent = heard.map((event) => sentEvent(event, identity));
    return store.putInbox({ id, partition, tenant, atMs, ...packEvents(sent) });
  });
  await Promise.all(puts);
  if ([...byPartition.keys()].some((partition) => loop.owns(partition))) loop.lookIntoInbox();
}
