import {
  type Answer,
  type Effect,
  type Fact,
  isScheduleFact,
  type SubmittedRun,
} from '@signalbox/engine';
import type { HeldKey, InboxEntry } from '@signalbox/store';

/** Somebody who waits for decisions to be durable, and hears of all of them together. */
export interface Reply {
  readonly partition: number | null;
  readonly answers: Answer[];
  readonly resolve: (answers: readonly Answer[]) => void;
}

/** What a decision about a run puts into inboxes: submissions that follow from its end, and words. */
export interface Owed {
  readonly seq: number;
  readonly entries: readonly InboxEntry[];
}

/** Submissions under one key: one run, or all that one request made, numbered in a row. */
export interface Submissions {
  readonly partition: number;
  readonly firstSeq: number;
  readonly count: number;
  readonly runs: readonly SubmittedRun[];
  /** Where each of them waits in the store, if it was parked. */
  readonly lanes: readonly (string | null)[];
}

/**
 * What was decided between two commits: facts that become durable together, and everything that
 * waits for that moment. Groups are numbered; a reader that saw group n waits until n is durable.
 */
export class Group {
  readonly number: number;
  readonly facts = new Map<number, Fact[]>();
  readonly effects: Effect[] = [];
  readonly replies: Reply[] = [];
  readonly inboxTaken = new Map<number, string[]>();
  /** What runs owe to other partitions, by the partition of the run. */
  readonly owed = new Map<number, Owed[]>();
  /** What entries were called that turned out to be runs already: their clients know no other name. */
  readonly aliases = new Map<number, HeldKey[]>();
  factCount = 0;
  /** Payloads as they were weighed when they came; what is struck later is not taken off again. */
  bytes = 0;
  /** Something has left it since it was put together. */
  changed = false;
  /** A worker waits for one of its effects; confirmations only let one forget. */
  #isForWorkers = false;

  constructor(number: number) {
    this.number = number;
  }

  /** There is something to write; an inbox entry may leave without a fact, when its run is there already. */
  get hasWrites(): boolean {
    return this.factCount > 0 || this.inboxTaken.size > 0 || this.aliases.size > 0;
  }

  get isEmpty(): boolean {
    return !this.hasWrites && this.effects.length === 0 && this.replies.length === 0;
  }

  /** Somebody is kept waiting until it is durable. */
  get isAwaited(): boolean {
    return this.#isForWorkers || this.replies.length > 0;
  }

  takeFromInbox(partition: number, entry: string): void {
    const taken = this.inboxTaken.get(partition);
    if (taken === undefined) this.inboxTaken.set(partition, [entry]);
    else taken.push(entry);
  }

  owe(partition: number, owed: Owed): void {
    for (const { input } of owed.entries) this.bytes += input?.length ?? 0;
    const list = this.owed.get(partition);
    if (list === undefined) this.owed.set(partition, [owed]);
    else list.push(owed);
  }

  addAlias(partition: number, alias: HeldKey): void {
    const aliases = this.aliases.get(partition);
    if (aliases === undefined) this.aliases.set(partition, [alias]);
    else aliases.push(alias);
  }

  add(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const list = this.facts.get(fact.partition);
      if (list === undefined) this.facts.set(fact.partition, [fact]);
      else list.push(fact);
    }
    this.factCount += facts.length;
  }

  addEffects(effects: readonly Effect[]): void {
    for (const effect of effects) {
      this.effects.push(effect);
      if (effect.kind !== 'confirm') this.#isForWorkers = true;
    }
  }

  /**
   * Strikes everything about submissions that turned out not to have happened. Pages that were
   * taken in after them counted them among the runs still parked in their lanes.
   */
  strike(struck: Submissions): void {
    const { partition } = struck;
    this.changed = true;
    const facts = this.facts.get(partition);
    if (facts !== undefined) {
      const left = factsWithout(facts, struck);
      this.factCount -= facts.length - left.length;
      if (left.length === 0) this.facts.delete(partition);
      else this.facts.set(partition, left);
    }
    retain(this.owed.get(partition) ?? [], ({ seq }) => !isAmong(struck, seq));
    retain(this.effects, (effect) => {
      const ref = partitionAndSeq(effect);
      return ref === null || ref.partition !== partition || !isAmong(struck, ref.seq);
    });
  }

  /** Takes out everything of a partition that is not ours any more; its replies are the caller's. */
  dropPartition(partition: number): Reply[] {
    this.changed = true;
    const facts = this.facts.get(partition);
    this.factCount -= facts?.length ?? 0;
    this.facts.delete(partition);
    this.inboxTaken.delete(partition);
    this.owed.delete(partition);
    this.aliases.delete(partition);
    retain(this.effects, (effect) => partitionAndSeq(effect)?.partition !== partition);
    const dropped = this.replies.filter((reply) => reply.partition === partition);
    retain(this.replies, (reply) => reply.partition !== partition);
    return dropped;
  }

  /**
   * The submissions in this group that ask for a key of another run. The holder itself may be in
   * the same group, when memory forgot its key before it was durable: that one stays.
   */
  findSubmissions(
    tenant: string,
    key: string,
    holder: { readonly partition: number; readonly seq: number },
  ): Submissions | null {
    for (const facts of this.facts.values()) {
      for (const fact of facts) {
        if (fact.kind !== 'runSubmitted' || fact.run.spec.tenant !== tenant) continue;
        const { head } = fact.run;
        if (head.key !== key && head.inbox !== key) continue;
        if (fact.partition === holder.partition && fact.run.seq === holder.seq) continue;
        return submissionsFrom(fact.run, fact.partition, facts);
      }
    }
    return null;
  }
}

function submissionsFrom(
  { seq: firstSeq, head }: SubmittedRun,
  partition: number,
  facts: readonly Fact[],
): Submissions {
  const range = { firstSeq, count: head.batch ?? 1 };
  const runs: SubmittedRun[] = [];
  const lanes: (string | null)[] = [];
  for (const fact of facts) {
    if (fact.kind !== 'runSubmitted' || !isAmong(range, fact.run.seq)) continue;
    runs.push(fact.run);
    lanes.push(fact.parked?.lane ?? null);
  }
  return { partition, ...range, runs, lanes };
}

export function isAmong(
  { firstSeq, count }: Pick<Submissions, 'firstSeq' | 'count'>,
  seq: number,
): boolean {
  return seq >= firstSeq && seq < firstSeq + count;
}

/** Facts of a schedule stay, but an event that did not happen has met no window. */
function isAbout(fact: Fact, struck: Submissions): boolean {
  if (fact.kind === 'windowMet') return isAmong(struck, fact.run);
  if (fact.kind === 'runSubmitted' || fact.kind === 'runsPagedIn') return false;
  return !isScheduleFact(fact) && isAmong(struck, fact.seq);
}

/** One pass, however many are struck: a request may have made a thousand of thousands of facts. */
function factsWithout(facts: readonly Fact[], struck: Submissions): Fact[] {
  const areHere = facts.some(
    (fact) => fact.kind === 'runSubmitted' && isAmong(struck, fact.run.seq),
  );
  const parkedBefore = new Map<string, number>();
  const park = (lane: string | null): void => {
    if (lane !== null) parkedBefore.set(lane, (parkedBefore.get(lane) ?? 0) + 1);
  };
  if (!areHere) struck.lanes.forEach(park);
  const left: Fact[] = [];
  for (const fact of facts) {
    if (fact.kind === 'runSubmitted' && isAmong(struck, fact.run.seq)) {
      park(fact.parked?.lane ?? null);
    } else if (fact.kind === 'runsPagedIn') {
      const gone = parkedBefore.get(fact.lane) ?? 0;
      left.push(gone === 0 ? fact : { ...fact, parkedLeft: Math.max(0, fact.parkedLeft - gone) });
    } else if (!isAbout(fact, struck)) left.push(fact);
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
