import { type Effect, type Fact, isScheduleFact } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import type { KeyWrites, Reply } from './reply.ts';
import type { WithdrawnRuns } from './withdrawn-runs.ts';

/** What a decision about a run puts into inboxes: submissions that follow from its end, and words. */
export interface Owed {
  readonly seq: number;
  readonly entries: readonly InboxEntry[];
}

/**
 * What was decided between two commits: facts that become durable together, and everything that
 * waits for that moment. Groups are numbered; a reader that saw group n waits until n is durable.
 */
export class Group {
  readonly number: number;
  readonly facts = new Map<number, Fact[]>();
  readonly effects: Effect[] = [];
  readonly #replies: Reply[] = [];
  /** What runs owe to other partitions, by the partition of the run. */
  readonly owed = new Map<number, Owed[]>();
  factCount = 0;
  /** Payloads as they were weighed when they came; what is dropped later is not taken off again. */
  bytes = 0;
  /** Something has left it since it was put together. */
  changed = false;
  /** Replies that write keys or take entries out of the inbox. */
  #writeCount = 0;
  /** A worker waits for one of its effects; confirmations only let one forget. */
  #isForWorkers = false;
  /** Ends among the facts of a partition, as far as a reader has had them looked at. */
  readonly #ends = new Map<
    number,
    { readonly facts: readonly Fact[]; looked: number; readonly seqs: Set<number> }
  >();

  constructor(number: number) {
    this.number = number;
  }

  /** There is something to write; an inbox entry may leave without a fact, when its run is there already. */
  get hasWrites(): boolean {
    return this.factCount > 0 || this.#writeCount > 0;
  }

  get isEmpty(): boolean {
    return !this.hasWrites && this.effects.length === 0 && this.#replies.length === 0;
  }

  /** A caller or a worker waits until it is durable. */
  get isAwaited(): boolean {
    return this.#isForWorkers || this.#replies.length > 0;
  }

  get replies(): readonly Reply[] {
    return this.#replies;
  }

  addReply(reply: Reply): void {
    this.#replies.push(reply);
    if (reply.writes !== null) this.#writeCount++;
  }

  /** Takes out the replies that are chosen; what they write leaves with them. */
  takeReplies(isChosen: (reply: Reply) => boolean): Reply[] {
    const taken: Reply[] = [];
    retain(this.#replies, (reply) => {
      if (!isChosen(reply)) return true;
      taken.push(reply);
      if (reply.writes !== null) this.#writeCount--;
      return false;
    });
    if (taken.length > 0) this.changed = true;
    return taken;
  }

  /** What replies write beside the facts, by partition. */
  keyWrites(): ReadonlyMap<number, readonly KeyWrites[]> {
    if (this.#writeCount === 0) return NO_WRITES;
    const byPartition = new Map<number, KeyWrites[]>();
    for (const { writes } of this.#replies) {
      if (writes !== null) addTo(byPartition, writes.partition, writes);
    }
    return byPartition;
  }

  owe(partition: number, owed: Owed): void {
    for (const { input } of owed.entries) this.bytes += input?.length ?? 0;
    addTo(this.owed, partition, owed);
  }

  /** Whether it holds the end of the run. Each fact is looked at once, however many readers ask. */
  hasEnd(partition: number, seq: number): boolean {
    const facts = this.facts.get(partition);
    if (facts === undefined) return false;
    let ends = this.#ends.get(partition);
    if (ends === undefined || ends.facts !== facts) {
      ends = { facts, looked: 0, seqs: new Set() };
      this.#ends.set(partition, ends);
    }
    for (; ends.looked < facts.length; ends.looked++) {
      const fact = facts[ends.looked] as Fact;
      if (fact.kind === 'runEnded') ends.seqs.add(fact.seq);
    }
    return ends.seqs.has(seq);
  }

  add(facts: readonly Fact[]): void {
    // Facts of one partition come in rows: the list is looked up once for each row.
    let partition: number | null = null;
    let list: Fact[] = [];
    for (const fact of facts) {
      if (fact.partition !== partition) {
        partition = fact.partition;
        list = this.#factsOf(partition);
      }
      list.push(fact);
    }
    this.factCount += facts.length;
  }

  #factsOf(partition: number): Fact[] {
    let facts = this.facts.get(partition);
    if (facts === undefined) {
      facts = [];
      this.facts.set(partition, facts);
    }
    return facts;
  }

  addEffects(effects: readonly Effect[]): void {
    for (const effect of effects) {
      this.effects.push(effect);
      if (effect.kind !== 'confirm') this.#isForWorkers = true;
    }
  }

  /** Drops everything about runs that were withdrawn. */
  drop(withdrawn: WithdrawnRuns): void {
    this.changed = true;
    const isGone = (partition: number, seq: number): boolean => withdrawn.has(partition, seq);
    for (const [partition, facts] of this.facts) {
      const runs = withdrawn.of(partition);
      if (runs === undefined) continue;
      const left = factsWithout(facts, runs);
      this.factCount -= facts.length - left.length;
      if (left.length === 0) this.facts.delete(partition);
      else this.facts.set(partition, left);
    }
    for (const [partition, owed] of this.owed) retain(owed, ({ seq }) => !isGone(partition, seq));
    retain(this.effects, (effect) => {
      const ref = partitionAndSeq(effect);
      return ref === null || !isGone(ref.partition, ref.seq);
    });
  }

  /** Takes out everything of a partition that is not ours any more; its replies are the caller's. */
  dropPartition(partition: number): Reply[] {
    this.changed = true;
    const facts = this.facts.get(partition);
    this.factCount -= facts?.length ?? 0;
    this.facts.delete(partition);
    this.owed.delete(partition);
    retain(this.effects, (effect) => partitionAndSeq(effect)?.partition !== partition);
    return this.takeReplies((reply) => reply.partition === partition);
  }
}

const NO_WRITES: ReadonlyMap<number, readonly KeyWrites[]> = new Map();

function addTo<T>(lists: Map<number, T[]>, partition: number, item: T): void {
  const list = lists.get(partition);
  if (list === undefined) lists.set(partition, [item]);
  else list.push(item);
}

type BySeq = NonNullable<ReturnType<WithdrawnRuns['of']>>;

/** Facts of a schedule stay, but an event that did not happen has met no window. */
function isAbout(fact: Fact, withdrawn: BySeq): boolean {
  if (fact.kind === 'windowMet') return withdrawn.has(fact.run);
  if (fact.kind === 'runSubmitted' || fact.kind === 'runsPagedIn') return false;
  return !isScheduleFact(fact) && withdrawn.has(fact.seq);
}

/**
 * One pass, however many were withdrawn: a request may have made a thousand of thousands of facts. Pages
 * that were read in after them counted them among the runs still parked in their lanes.
 */
function factsWithout(facts: Fact[], withdrawn: BySeq): Fact[] {
  const areHere = facts.some((fact) => fact.kind === 'runSubmitted' && withdrawn.has(fact.run.seq));
  const parkedBefore = new Map<string, number>();
  const park = (lane: string | null): void => {
    if (lane !== null) parkedBefore.set(lane, (parkedBefore.get(lane) ?? 0) + 1);
  };
  if (!areHere) for (const { lane } of withdrawn.values()) park(lane);
  const left: Fact[] = [];
  for (const fact of facts) {
    if (fact.kind === 'runSubmitted' && withdrawn.has(fact.run.seq)) {
      park(fact.parked?.lane ?? null);
    } else if (fact.kind === 'runsPagedIn') {
      const gone = parkedBefore.get(fact.lane) ?? 0;
      left.push(gone === 0 ? fact : { ...fact, parkedLeft: Math.max(0, fact.parkedLeft - gone) });
    } else if (!isAbout(fact, withdrawn)) left.push(fact);
  }
  return left;
}

export function partitionAndSeq(effect: Effect): { partition: number; seq: number } | null {
  switch (effect.kind) {
    case 'assign':
      return effect.attempt.task.run;
    case 'abort':
    case 'confirm':
    case 'stale':
    case 'extended':
      return effect.ref;
    case 'startRun':
      return effect.task.run;
    case 'loadInput':
      return effect.run;
    case 'notify':
      return effect;
    default:
      return null;
  }
}

function retain<T>(items: T[], keep: (item: T) => boolean): void {
  let kept = 0;
  for (const item of items) if (keep(item)) items[kept++] = item;
  items.length = kept;
}
