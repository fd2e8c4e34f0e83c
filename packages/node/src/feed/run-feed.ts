/*
 * Feed: delivers durable facts to waiting requests and event streams of this node.
 *
 * States of a partition, while anybody watches:
 *
 *   unwatched ── watch, or taken over ──► delivered up to seq ── group published ──► delivered up to seq + 1
 *       ▲                                    │    ▲
 *       │ last watcher leaves, lease lost,   │    │ the names have been read
 *       │ gap in the groups                  ▼    │
 *       └────────────────────────────────  held: groups that wait for the name of a run (at most HELD_MAX,
 *                                                 then watchers continue from the journal)
 *
 * Called by: the commit loop (`published`, `observe`) after a group is durable; streams and `getRun` (`watch`,
 * `ended`, `onOwnership`, `positions`).
 * Atomic: the events of one group are delivered in one call, in order; nothing is delivered before it is durable.
 * Can fail: reading the name of a run that has left memory. The groups stay held and are retried with the next group.
 * A watcher that misses groups receives `ceased` and `began`, and reads them from the journal (replay.ts).
 */
import { type Fact, isScheduleFact, type RunFact, type RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { CommitLoop, LoopEvent } from '../loop/index.ts';
import { EndWaiters } from './end-waiters.ts';
import { eventOf, learnGrowth, toldOf } from './event-of.ts';
import type { Feed, FeedEvent } from './feed.ts';
import { formatPositions, type Position, type Positions } from './positions.ts';
import { RunNames } from './run-names.ts';
import { type Listener, Watchers } from './watchers.ts';

/** An event with its position in the journal, from which a disconnected watcher resumes. */
export interface PlacedEvent extends FeedEvent {
  /** The group of the partition, and the index of the fact in it. */
  readonly seq: number;
  readonly index: number;
  /** The positions of all other partitions at this event, as text; valid only inside the listener. */
  others(): string;
}

/** Called when this node begins or ceases to own a partition, in order with its events. */
export interface OwnershipListener {
  /** The feed delivers the groups after `seq`; earlier groups are only in the journal. */
  began(partition: number, seq: number): void;
  /** The feed delivers nothing after group `seq` until the partition begins again. */
  ceased(partition: number, seq: number): void;
}

interface Batch {
  readonly partition: number;
  readonly seq: number;
  readonly facts: readonly Fact[];
}

interface Held {
  readonly batches: Batch[];
  reading: boolean;
}

/** Groups that may wait for the name of a run; beyond it watchers read them from the journal. */
const HELD_MAX = 100;

/**
 * Without watchers the feed costs one comparison per group; requests that wait for the end of a run cost one look-up
 * per ended run.
 */
export class RunFeed implements Feed {
  readonly #loop: () => CommitLoop;
  readonly #waiters = new EndWaiters();
  readonly #watchers = new Watchers();
  readonly #names: RunNames;
  readonly #ownership = new Set<OwnershipListener>();
  /** The last delivered group of each partition of this node. */
  readonly #delivered = new Map<number, number>();
  #refreshing = false;
  /** Groups of a partition that wait for the names of their runs. */
  readonly #held = new Map<number, Held>();

  /** The loop is passed as a function, because it is created with this feed among its ports. */
  constructor(params: { loop: () => CommitLoop; store: () => Store }) {
    this.#loop = params.loop;
    this.#names = new RunNames(params.loop, params.store);
  }

  /** The loop's port: facts of one partition that have just become durable. */
  published(partition: number, facts: readonly Fact[], seq: number): void {
    this.#waiters.published(partition, facts);
    if (this.#watchers.size === 0) return this.#forget();
    this.#refreshLater();
    // Groups in between are another node's: the partition was lost and taken over again.
    const before = this.#held.get(partition)?.batches.at(-1)?.seq ?? this.#delivered.get(partition);
    if (before !== undefined && before !== seq - 1) this.#cease(partition);
    if (before !== seq - 1) this.#begin(partition, seq - 1);
    const held = this.#held.get(partition);
    if (held === undefined && this.#deliver({ partition, seq, facts })) return;
    const kept: Held = held ?? { batches: [], reading: false };
    this.#held.set(partition, kept);
    kept.batches.push({ partition, seq, facts: [...facts] });
    if (!kept.reading) void this.#lookUp(partition, kept);
  }

  watch(
    filter: { readonly tenant: string; readonly run?: RunId },
    listener: (event: PlacedEvent) => void,
  ): () => void {
    return this.watchGroups(filter, (events) => {
      for (const event of events) listener(event);
    });
  }

  /** Like `watch`, with all events of a group in one call. */
  watchGroups(
    filter: { readonly tenant: string; readonly run?: RunId },
    listener: Listener,
  ): () => void {
    if (this.#watchers.size === 0) {
      this.#forget();
      this.#refresh();
    }
    return this.#watchers.add(filter, listener);
  }

  /** For watchers that continue from the journal when the feed has a gap. Valid while watching. */
  onOwnership(listener: OwnershipListener): () => void {
    this.#ownership.add(listener);
    return () => void this.#ownership.delete(listener);
  }

  /** The loop's port: a partition that is taken over or lost is noticed immediately, not with its next fact. */
  observe(event: LoopEvent): void {
    if (event.kind === 'leaseLost') this.#waiters.wake(event.partition);
    if (this.#watchers.size === 0) return;
    if (event.kind === 'takenOver' || event.kind === 'leaseLost') this.#refresh();
  }

  /**
   * The position up to which every watcher has received events, for all partitions or one. Valid while watching, and
   * not inside a listener.
   */
  positions(partition?: number): Positions {
    this.#refresh();
    return this.deliveredPositions(partition);
  }

  /** Like `positions`, without refreshing them; a listener may call it. */
  deliveredPositions(partition?: number): Positions {
    const positions = new Map<number, Position>();
    for (const [each, seq] of this.#delivered) {
      if (partition === undefined || partition === each) positions.set(each, { seq, index: null });
    }
    return positions;
  }

  #othersThan(partition: number): string {
    const positions = new Map(this.deliveredPositions());
    positions.delete(partition);
    return formatPositions(positions);
  }

  /** Nobody watches. Mostly nothing is stored then, and clearing even an empty map costs an allocation. */
  #forget(): void {
    if (this.#held.size > 0) this.#held.clear();
    if (this.#delivered.size > 0) this.#delivered.clear();
    this.#names.clear();
  }

  /** Adds newly owned partitions at the end of their journal, and removes lost ones. */
  #refresh(): void {
    const { held } = this.#loop().leases;
    for (const partition of [...this.#delivered.keys()]) {
      if (!held.has(partition)) this.#cease(partition);
    }
    for (const [partition, { nextSeq, phase }] of held) {
      // While the partition loads, its runs have no names here.
      if (phase === 'loading' || this.#delivered.has(partition)) continue;
      this.#begin(partition, nextSeq - 1);
    }
  }

  #begin(partition: number, seq: number): void {
    for (const listener of this.#ownership) listener.began(partition, seq);
    this.#delivered.set(partition, seq);
  }

  #cease(partition: number): void {
    const seq = this.#delivered.get(partition);
    this.#delivered.delete(partition);
    // Held groups are in the journal, and watchers read them there.
    this.#held.delete(partition);
    if (seq === undefined) return;
    for (const listener of this.#ownership) listener.ceased(partition, seq);
  }

  /** Deferred, because a commit of several partitions is published one by one. */
  #refreshLater(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    queueMicrotask(() => {
      this.#refreshing = false;
      this.#refresh();
    });
  }

  ended(params: { tenant: string; run: RunId; timeoutMs: number }): Promise<void> {
    return this.#waiters.add(params.run, params.timeoutMs);
  }

  /** False if a run has left memory before the feed saw it: its name must be read first. */
  #deliver(batch: Batch): boolean {
    const { partition, seq, facts } = batch;
    const names = facts.map((fact) => {
      if (fact.kind === 'runsPagedIn' || isScheduleFact(fact)) return undefined;
      if (!this.#mayWant(partition, fact)) return undefined;
      return this.#names.nameOf(partition, fact);
    });
    if (names.includes(null)) return false;
    const events: PlacedEvent[] = [];
    let text: string | null = null;
    const others = (): string => {
      text ??= this.#othersThan(partition);
      return text;
    };
    for (const [index, fact] of facts.entries()) {
      const run = names[index];
      if (run === null || run === undefined) continue;
      if (fact.kind === 'runsPagedIn' || isScheduleFact(fact)) continue;
      learnGrowth(run, fact);
      if (this.#watchers.wants(run.spec.tenant, run.id)) {
        events.push({ ...eventOf(toldOf(fact), run), seq, index, others });
      }
      if (this.#isLast(fact)) this.#names.forget(run);
    }
    if (events.length > 0) this.#watchers.tell(events);
    this.#delivered.set(partition, seq);
    return true;
  }

  /** After its end a run has at most notifications left; their facts name the row of the run. */
  #isLast(fact: RunFact): boolean {
    if (fact.kind === 'runEnded') return true;
    if (fact.kind !== 'notificationDone') return false;
    return this.#loop().engine.core.books.get(fact.partition)?.runs.has(fact.seq) !== true;
  }

  #mayWant(partition: number, fact: Exclude<RunFact, { kind: 'runsPagedIn' }>): boolean {
    const seq = fact.kind === 'runSubmitted' ? fact.run.seq : fact.seq;
    return this.#watchers.mayWant(partition, seq);
  }

  /** The name of an unknown run is in the store, or comes with a later group of the partition: its end. */
  async #lookUp(partition: number, held: Held): Promise<void> {
    held.reading = true;
    for (let looked = -1; looked < held.batches.length && held.batches.length > 0; ) {
      looked = held.batches.length;
      const facts = held.batches.flatMap((batch) => batch.facts);
      // A failed read is retried with the next group.
      await this.#names.readEnded(facts).catch(() => {});
      if (this.#held.get(partition) !== held) return;
      while (held.batches.length > 0 && this.#deliver(held.batches[0] as Batch)) {
        held.batches.shift();
        looked = -1;
      }
    }
    const last = held.batches.at(-1);
    if (last !== undefined && held.batches.length > HELD_MAX) {
      // Skipping the groups without notice would lose their events.
      this.#cease(partition);
      return this.#begin(partition, last.seq);
    }
    held.reading = false;
    if (held.batches.length === 0) this.#held.delete(partition);
  }
}
