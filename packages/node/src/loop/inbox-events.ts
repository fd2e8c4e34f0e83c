import type { Command } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';

type EventCommand = Command & { kind: 'event' };

/** An event on its way to the runs of a partition that may wait for it. */
export type SentEvent = Pick<EventCommand, 'type' | 'key' | 'event'>;

/** In the entry's head, one for each event: type, key, length. */
type PackedEvent = readonly [string, string, number];

/**
 * Events for the runs of one partition wait as one entry, as submissions do for its owner: durable once
 * they are acknowledged, and removed by the commit that delivers them. They belong to no job.
 */
export function packEvents(
  events: readonly SentEvent[],
): Pick<InboxEntry, 'kind' | 'job' | 'class' | 'head' | 'input' | 'key'> {
  const packed = events.map(({ type, key, event }): PackedEvent => [type, key, event.length]);
  const input = Buffer.concat(events.map(({ event }) => event));
  const head = JSON.stringify({ events: packed });
  return { kind: 'events', job: '', class: 1, head, input, key: null };
}

export function isOfEvents({ kind }: InboxEntry): boolean {
  return kind === 'events';
}

export function eventsOf({ partition, tenant, head, input }: InboxEntry): EventCommand[] {
  const { events } = JSON.parse(head) as { events: readonly PackedEvent[] };
  const bytes = input ?? new Uint8Array();
  let at = 0;
  return events.map(([type, key, length]) => {
    // An own allocation: a slice would keep the events of the whole request alive for each run.
    const event = bytes.slice(at, at + length);
    at += length;
    return { kind: 'event', partition, tenant, type, key, event };
  });
}
