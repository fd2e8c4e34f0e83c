import { type Fact, isScheduleFact, type RunFact, type RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { CommitLoop, LoopEvent } from '../loop/index.ts';
import { EndWaiters } from './end-waiters.ts';
import { eventOf, learnGrowth, toldOf } from './event-of.ts';
import type { Feed, FeedEvent } from './feed.ts';
import { formatPositions, type Position, type Positions } from './positions.ts';
import { RunNames } from './run-names.ts';
import { type Listener, Watchers } from './watchers.ts';

/** An event with its place in the journal, from which a watcher that was cut off goes on. */
export interface PlacedEvent extends FeedEvent {
  /** The group of the partition, and the place of the fact in it. */
  readonly seq: number;
  readonly index: number;
  /** How far every other partition has been told by then, as text; to be asked for in the listener. */
  others(): string;
}

/** Told of partitions that this node begins or ceases to own, in order with their events. */
export interface OwnershipListener {
  /** What comes behind group `seq` is told by the feed; what came before is in the journal only. */
  began(partition: number, seq: number): void;
  /** Nothing behind group `seq` is told until it begins again. */
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

/** Groups that may wait for the name of a run; then watchers read them from the journal. */
const HELD_MAX = 100;

/**
 * Tells of everything that becomes durable on this node, to those who ask. Without anybody asking
 * it costs a comparison for each group; those who wait for one run to end cost one look-up for
 * each end.
 */
export class RunFeed implements Feed {
  readonly #loop: () => CommitLoop;
  readonly #waiters = new EndWaiters();
  readonly #watchers = new Watchers();
  readonly #names: RunNames;
  readonly #ownership = new Set<OwnershipListener>();
  /** The last group of each partition of this node that has been told. */
  readonly #told = new Map<number, number>();
  #settling = false;
  /** Groups of a partition that wait until the runs they speak of are known by name. */
  readonly #held = new Map<number, Held>();

  /** The loop is asked for when it is needed: it is made with this feed among its ports. */
  constructor(params: { loop: () => CommitLoop; store: () => Store }) {
    this.#loop = params.loop;
    this.#names = new RunNames(params.loop, params.store);
  }

  /** The loop's port: facts of one partition that have just become durable. */
  published(partition: number, facts: readonly Fact[], seq: number): void {
    this.#waiters.published(partition, facts);
    if (this.#watchers.size === 0) return this.#forget();
    this.#settleLater();
    // Groups in between are another node's: the partition was lost and came back meanwhile.
    const before = this.#held.get(partition)?.batches.at(-1)?.seq ?? this.#told.get(partition);
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

  /** The same by the group: everything that became durable at once is told at once. */
  watchGroups(
    filter: { readonly tenant: string; readonly run?: RunId },
    listener: Listener,
  ): () => void {
    if (this.#watchers.size === 0) {
      this.#forget();
      this.#settle();
    }
    return this.#watchers.add(filter, listener);
  }

  /** For those who can go on from the journal where the feed has a gap. To be asked for while watching. */
  onOwnership(listener: OwnershipListener): () => void {
    this.#ownership.add(listener);
    return () => void this.#ownership.delete(listener);
  }

  /** The loop's port: a partition that is taken over or lost is known at once, not with its next fact. */
  observe(event: LoopEvent): void {
    if (event.kind === 'leaseLost') this.#waiters.wake(event.partition);
    if (this.#watchers.size === 0) return;
    if (event.kind === 'takenOver' || event.kind === 'leaseLost') this.#settle();
  }

  /**
   * How far every watcher has been told, partition by partition; of one partition if asked for. To
   * be read while watching, and not from within a listener.
   */
  positions(partition?: number): Positions {
    this.#settle();
    return this.toldPositions(partition);
  }

  /** The same as far as it is known, which a listener may ask for. */
  toldPositions(partition?: number): Positions {
    const positions = new Map<number, Position>();
    for (const [each, seq] of this.#told) {
      if (partition === undefined || partition === each) positions.set(each, { seq, index: null });
    }
    return positions;
  }

  #othersThan(partition: number): string {
    const positions = new Map(this.toldPositions());
    positions.delete(partition);
    return formatPositions(positions);
  }

  /** Nobody watches. Mostly nothing is kept then, and to clear even an empty map costs an allocation. */
  #forget(): void {
    if (this.#held.size > 0) this.#held.clear();
    if (this.#told.size > 0) this.#told.clear();
    this.#names.clear();
  }

  /** A partition of which nothing was told yet stands where its journal stands; one that is lost leaves. */
  #settle(): void {
    const { held } = this.#loop().leases;
    for (const partition of [...this.#told.keys()]) {
      if (!held.has(partition)) this.#cease(partition);
    }
    for (const [partition, { nextSeq, phase }] of held) {
      // Until it is read in, its runs have no names here.
      if (phase === 'loading' || this.#told.has(partition)) continue;
      this.#begin(partition, nextSeq - 1);
    }
  }

  #begin(partition: number, seq: number): void {
    for (const listener of this.#ownership) listener.began(partition, seq);
    this.#told.set(partition, seq);
  }

  #cease(partition: number): void {
    const seq = this.#told.get(partition);
    this.#told.delete(partition);
    // What waits for a name is in the journal: it comes from there when the partition is back.
    this.#held.delete(partition);
    if (seq === undefined) return;
    for (const listener of this.#ownership) listener.ceased(partition, seq);
  }

  /** Not at once: a commit of several partitions is published one by one. */
  #settleLater(): void {
    if (this.#settling) return;
    this.#settling = true;
    queueMicrotask(() => {
      this.#settling = false;
      this.#settle();
    });
  }

  ended(params: { tenant: string; run: RunId; timeoutMs: number }): Promise<void> {
    return this.#waiters.add(params.run, params.timeoutMs);
  }

  /** False where a run has left memory before it was seen here: its name must be read first. */
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
    this.#told.set(partition, seq);
    return true;
  }

  /** Behind its end a run has notifications left at most; their facts say where its row is. */
  #isLast(fact: RunFact): boolean {
    if (fact.kind === 'runEnded') return true;
    if (fact.kind !== 'notificationDone') return false;
    return this.#loop().engine.core.books.get(fact.partition)?.runs.has(fact.seq) !== true;
  }

  #mayWant(partition: number, fact: Exclude<RunFact, { kind: 'runsPagedIn' }>): boolean {
    const seq = fact.kind === 'runSubmitted' ? fact.run.seq : fact.seq;
    return this.#watchers.mayWant(partition, seq);
  }

  /** What names the unknown run is here, or comes with the next group of the partition: its end. */
  async #lookUp(partition: number, held: Held): Promise<void> {
    held.reading = true;
    for (let looked = -1; looked < held.batches.length && held.batches.length > 0; ) {
      looked = held.batches.length;
      const facts = held.batches.flatMap((batch) => batch.facts);
      // What cannot be read now is tried again with the next group.
      await this.#names.readEnded(facts).catch(() => {});
      if (this.#held.get(partition) !== held) return;
      while (held.batches.length > 0 && this.#deliver(held.batches[0] as Batch)) {
        held.batches.shift();
        looked = -1;
      }
    }
    const last = held.batches.at(-1);
    if (last !== undefined && held.batches.length > HELD_MAX) {
      // To leave them out would lose them in silence.
      this.#cease(partition);
      return this.#begin(partition, last.seq);
    }
    held.reading = false;
    if (held.batches.length === 0) this.#held.delete(partition);
  }
}
