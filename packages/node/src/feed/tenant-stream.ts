import { replicasOf } from '../replica/partition-replicas.ts';
import { eventText, messageText } from './event-text.ts';
import type { StreamContext } from './feed.ts';
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

interface TenantStreamParams {
  readonly context: StreamContext;
  readonly feed: RunFeed;
  readonly tenant: string;
  readonly job?: string;
  readonly lastEventId?: string;
  readonly sink: Sink;
  readonly heartbeatMs?: number;
}

/**
 * Everything that happens to a tenant's runs, as server-sent events. A client that comes back with
 * the last id that it saw is sent what it missed, each event once; where the journal cannot say that,
 * it is sent `reset` and continues from now.
 */
export async function streamTenant(params: TenantStreamParams): Promise<SlowGuard> {
  const stream = new TenantStream(params);
  await stream.start();
  return stream.guard;
}

/** What the feed reports while the journal is being read, in order. */
type Entry =
  | {
      readonly kind: 'events';
      readonly events: readonly PlacedEvent[];
      readonly others: string;
      readonly length: number;
    }
  | { readonly kind: 'began'; readonly partition: number; readonly seq: number }
  | { readonly kind: 'ceased'; readonly partition: number; readonly seq: number };

class TenantStream {
  readonly guard: SlowGuard;
  readonly #p: TenantStreamParams;
  /**
   * Partitions that the client has a position of and the feed does not cover: those that this node does
   * not own, or not yet. Every id carries them, so that nothing is lost wherever the client resumes.
   */
  readonly #behind = new Map<number, Position>();
  /** What has been sent, while the journal is being read: the feed is ahead of it by then. */
  #sent: Map<number, Position> | null = new Map();
  /** Where the journal was read further than the feed had come: what the feed reports up to there was sent. */
  readonly #ahead = new Map<number, Position>();
  readonly #queue: Entry[] = [];
  #queueLength = 0;

  constructor(params: TenantStreamParams) {
    this.#p = params;
    const { feed, tenant, sink, heartbeatMs } = params;
    this.guard = new SlowGuard({
      sink,
      beat: () => `id: ${formatPositions(this.#sent ?? this.#overlaid(feed.positions()))}\n`,
      onClose: () => {
        stopEvents();
        stopOwnership();
      },
      timers: params.context.timers,
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    });
    const stopEvents = feed.watchGroups({ tenant }, (events) => this.#receive(events));
    const stopOwnership = feed.onOwnership({
      began: (partition, seq) => this.#change({ kind: 'began', partition, seq }),
      ceased: (partition, seq) => this.#change({ kind: 'ceased', partition, seq }),
    });
  }

  async start(): Promise<void> {
    const { feed, lastEventId } = this.#p;
    const start = feed.positions();
    const last = lastEventId === undefined ? null : parsePositions(lastEventId);
    this.#sent = new Map([...start, ...(last ?? [])]);
    for (const [partition, position] of last ?? []) this.#behind.set(partition, position);
    try {
      if (lastEventId === undefined) this.guard.write(`${this.#idLine()}\n`);
      else if (last === null) this.#reset();
      await this.#catchUpAll(start);
      for (const partition of [...this.#behind.keys()]) await this.#followJournal(partition);
      await this.#drain();
    } catch (error) {
      this.guard.close();
      throw error;
    }
  }

  #receive(events: readonly PlacedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    if (this.#sent === null && this.#behind.size === 0 && this.#ahead.size === 0) {
      return this.guard.write(groupText(events, this.#p.job));
    }
    const others = first.others();
    if (this.#sent === null) return this.guard.write(this.#textOf(events, others));
    let length = 0;
    for (const event of events) length += eventText(event).length + others.length;
    this.#queue.push({ kind: 'events', events, others, length });
    this.#queueLength += length;
    // It resumes behind what it has been sent.
    if (this.#queueLength > BUFFER_MAX) this.guard.close();
  }

  #change(entry: Entry & { readonly kind: 'began' | 'ceased' }): void {
    if (this.#sent !== null) {
      this.#queue.push(entry);
      return;
    }
    if (entry.kind === 'ceased') return this.#ceased(entry.partition, entry.seq);
    if (!this.#behind.has(entry.partition)) return;
    this.#sent = new Map(this.#overlaid(this.#p.feed.deliveredPositions()));
    this.#queue.push(entry);
    // Cut off, it resumes where it was.
    this.#drain().catch(() => this.guard.close());
  }

  #ceased(partition: number, seq: number): void {
    if (this.#behind.has(partition)) return;
    const ahead = this.#ahead.get(partition);
    this.#ahead.delete(partition);
    const isAhead = ahead !== undefined && ahead.seq > seq;
    this.#behind.set(partition, isAhead ? ahead : { seq, index: null });
  }

  /** Sends what the feed reported meanwhile; what it reports from then on is sent at once. */
  async #drain(): Promise<void> {
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      if (this.guard.closed) return;
      if (entry.kind === 'began') {
        const { partition, seq } = entry;
        await this.#catchUpAll(new Map([[partition, { seq, index: null }]]));
      } else if (entry.kind === 'ceased') this.#ceased(entry.partition, entry.seq);
      else {
        this.#queueLength -= entry.length;
        this.guard.write(this.#textOf(entry.events, entry.others));
        const { partition, seq } = entry.events[0] as PlacedEvent;
        const delivered = new Map(parsePositions(entry.others)).set(partition, {
          seq,
          index: null,
        });
        this.#sent = new Map(this.#overlaid(delivered));
        await this.guard.ready();
      }
    }
    this.#sent = null;
  }

  /** Sends what the client missed up to the groups behind which the feed covers these partitions. */
  async #catchUpAll(to: Positions): Promise<void> {
    try {
      for (const [partition, { seq }] of to) {
        const end = await this.#replay(partition, seq);
        this.#behind.delete(partition);
        if (end !== null && end.seq > seq) this.#ahead.set(partition, end);
        else this.#sent?.set(partition, { seq, index: null });
      }
    } catch (error) {
      if (!(error instanceof TooOld)) throw error;
      for (const [partition, position] of to) {
        this.#behind.delete(partition);
        this.#sent?.set(partition, position);
      }
      this.#reset();
    }
  }

  /** The same of a partition that the feed does not cover: as far as the journal goes. */
  async #followJournal(partition: number): Promise<void> {
    const { context } = this.#p;
    let end: Position | null;
    try {
      end = await this.#replay(partition, null);
    } catch (error) {
      if (!(error instanceof TooOld)) throw error;
      const isKnown = partition < context.partitions;
      const replicas = replicasOf(context.loop, context.store);
      end = isKnown ? { seq: (await replicas.read(partition, 0)).seq, index: null } : null;
      if (end === null) this.#sent?.delete(partition);
      else this.#sent?.set(partition, end);
      this.#reset();
    }
    if (end === null) this.#behind.delete(partition);
    else this.#behind.set(partition, end);
  }

  /** Sends the events behind the client's position; returns where they end, null without a position. */
  async #replay(partition: number, to: number | null): Promise<Position | null> {
    const { context, tenant, job } = this.#p;
    const from = this.#behind.get(partition);
    if (from === undefined || this.guard.closed) return null;
    const sent = this.#sent as Map<number, Position>;
    const passed = (seq: number): void => void sent.set(partition, { seq, index: null });
    for await (const event of replay({ context, tenant, partition, from, to, passed })) {
      if (this.guard.closed) return null;
      sent.set(partition, { seq: event.seq, index: event.index });
      if (job !== undefined && event.job !== job) continue;
      this.guard.write(`${this.#idLine()}${eventText(event)}`);
      await this.guard.ready();
    }
    return sent.get(partition) ?? from;
  }

  #reset(): void {
    this.guard.write(`${this.#idLine()}${messageText('reset', {})}`);
  }

  #idLine(): string {
    return `id: ${formatPositions(this.#sent as Positions)}\n`;
  }

  #overlaid(positions: Positions): Positions {
    if (this.#behind.size === 0 && this.#ahead.size === 0) return positions;
    return new Map([...positions, ...this.#behind, ...this.#ahead]);
  }

  #textOf(events: readonly PlacedEvent[], others: string): string {
    const { job } = this.#p;
    const unsent = events.filter((event) => !this.#wasSent(event));
    const [first] = unsent;
    if (first === undefined) return '';
    // From here on the feed is not behind the client any more.
    this.#ahead.delete(first.partition);
    const rest = formatPositions(this.#overlaid(parsePositions(others) ?? new Map()));
    return unsent
      .filter((event) => job === undefined || event.job === job)
      .map((event) => `id: ${idOf(event, rest)}\n${eventText(event)}`)
      .join('');
  }

  #wasSent({ partition, seq, index }: PlacedEvent): boolean {
    const ahead = this.#ahead.get(partition);
    if (ahead === undefined) return false;
    return seq < ahead.seq || (seq === ahead.seq && (ahead.index === null || index <= ahead.index));
  }
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
      .map((event) => `id: ${idOf(event, event.others())}\n${eventText(event)}`)
      .join('');
    known.set(job ?? '', text);
  }
  return text;
}

/** The id of an event holds where every partition stands, because a client keeps only one. */
function idOf(event: PlacedEvent, others: string): string {
  const own = formatOne(event.partition, event.seq, event.index);
  return others === '' ? own : `${own}-${others}`;
}
