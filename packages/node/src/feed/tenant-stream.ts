import type { NodeContext } from '../context.ts';
import { eventText, messageText } from './event-text.ts';
import {
  formatOne,
  formatPositions,
  type Position,
  type Positions,
  parsePositions,
} from './positions.ts';
import { replay, TooOld } from './replay.ts';
import type { PlacedEvent, RunFeed } from './run-feed.ts';
import { BUFFER_MAX, type Sink, SlowGuard } from './sink.ts';

/**
 * Everything that happens to a tenant's runs, as server-sent events. A client that comes back with
 * the last id that it saw is told what it missed, each event once; where that is too long ago it is
 * told `reset` and goes on from now.
 */
export async function streamTenant(params: {
  context: NodeContext;
  feed: RunFeed;
  tenant: string;
  job?: string;
  lastEventId?: string;
  sink: Sink;
  heartbeatMs?: number;
}): Promise<SlowGuard> {
  const { context, feed, tenant, job, lastEventId, sink } = params;
  const guard = new SlowGuard({
    sink,
    beat: () => `id: ${formatPositions(feed.positions())}\n`,
    onClose: () => stop(),
    ...(params.heartbeatMs === undefined ? {} : { heartbeatMs: params.heartbeatMs }),
  });
  let waiting: string[] | null = [];
  let waitingLength = 0;
  const stop = feed.watchGroups({ tenant }, (events) => {
    const text = groupText(events, job);
    if (text === '') return;
    if (waiting === null) return guard.write(text);
    waiting.push(text);
    waitingLength += text.length;
    if (waitingLength > BUFFER_MAX) guard.close();
  });
  const start = feed.positions();
  try {
    const last = lastEventId === undefined ? null : parsePositions(lastEventId);
    if (lastEventId !== undefined && last === null) throw new TooOld();
    if (last !== null) await tellMissed({ context, tenant, job, guard, last, start });
  } catch (error) {
    if (!(error instanceof TooOld)) {
      guard.close();
      throw error;
    }
    guard.write(`id: ${formatPositions(start)}\n${messageText('reset', {})}`);
  }
  if (lastEventId === undefined) guard.write(`id: ${formatPositions(start)}\n\n`);
  for (const text of waiting) guard.write(text);
  waiting = null;
  return guard;
}

const texts = new WeakMap<readonly PlacedEvent[], Map<string, string>>();

/** A group as text: the same for all who watch the same, so it is made once. */
function groupText(events: readonly PlacedEvent[], job: string | undefined): string {
  const known = texts.get(events) ?? new Map<string, string>();
  texts.set(events, known);
  let text = known.get(job ?? '');
  if (text === undefined) {
    text = events
      .filter((event) => job === undefined || event.job === job)
      .map((event) => `id: ${idOf(event)}\n${eventText(event)}`)
      .join('');
    known.set(job ?? '', text);
  }
  return text;
}

/** The id of an event holds where every partition stands, because a client keeps only one. */
function idOf(event: PlacedEvent): string {
  const own = formatOne(event.partition, event.seq, event.index);
  const others = event.others();
  return others === '' ? own : `${own}-${others}`;
}

async function tellMissed(params: {
  context: NodeContext;
  tenant: string;
  job: string | undefined;
  guard: SlowGuard;
  last: Positions;
  start: Positions;
}): Promise<void> {
  const { context, tenant, job, guard, last, start } = params;
  const come = new Map<number, Position>(last);
  for (const [partition, { seq: to }] of start) {
    const from = last.get(partition);
    if (from !== undefined) {
      for await (const event of replay({ context, tenant, partition, from, to })) {
        if (guard.closed) return;
        if (job !== undefined && event.job !== job) continue;
        come.set(partition, { seq: event.seq, index: event.index });
        guard.write(`id: ${formatPositions(come)}\n${eventText(event)}`);
        await guard.ready();
      }
    }
    come.set(partition, { seq: to, index: null });
  }
}
