import { type Answer, type Effect, type Fact, isScheduleFact } from '@signalbox/engine';
import type { HeldKey, InboxEntry } from '@signalbox/store';
import {
  type Dropped,
  DroppedSubmissions,
  isRun,
  type KeyHolder,
  type TakenKeys,
} from './dropped-submissions.ts';
import type { Mail } from './mailbox.ts';

/** Somebody who waits for decisions to be durable, and hears of all of them together. */
export interface Reply {
  readonly partition: number | null;
  readonly answers: Answer[];
  readonly resolve: (answers: readonly Answer[]) => void;
  /** What was asked, answer by answer, and the inbox entry that it came from. */
  readonly mail: Pick<Mail, 'commands' | 'inboxEntry'>;
  /** A part of it is in an earlier group and may be durable, whatever becomes of this one. */
  readonly isPartial?: true;
}

/** What a decision about a run puts into inboxes: submissions that follow from its end, and words. */
export interface Owed {
  readonly seq: number;
  readonly entries: readonly InboxEntry[];
}

/** A key for a run that was there already; `withKey`: only together with that key. */
export interface Claim extends HeldKey {
  readonly withKey?: string;
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
  /** Keys of submissions that are a run which was there already, by their unique value. */
  readonly claims = new Map<number, Claim[]>();
  factCount = 0;
  /** Payloads as they were weighed when they came; what is struck later is not taken off again. */
  bytes = 0;
  /** Something has left it since it was put together. */
  changed = false;
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
    return (
      this.factCount > 0 ||
      this.inboxTaken.size > 0 ||
      this.aliases.size > 0 ||
      this.claims.size > 0
    );
  }

  get isEmpty(): boolean {
    return !this.hasWrites && this.effects.length === 0 && this.replies.length === 0;
  }

  /** Somebody is kept waiting until it is durable. */
  get isAwaited(): boolean {
    return this.#isForWorkers || this.replies.length > 0;
  }

  /** Those that it has something to write for. */
  partitions(): Set<number> {
    const { facts, inboxTaken, aliases, claims } = this;
    return new Set([...facts.keys(), ...inboxTaken.keys(), ...aliases.keys(), ...claims.keys()]);
  }

  takeFromInbox(partition: number, entry: string): void {
    addTo(this.inboxTaken, partition, entry);
  }

  owe(partition: number, owed: Owed): void {
    for (const { input } of owed.entries) this.bytes += input?.length ?? 0;
    addTo(this.owed, partition, owed);
  }

  addAlias(partition: number, alias: HeldKey): void {
    addTo(this.aliases, partition, alias);
  }

  addClaim(partition: number, claim: Claim): void {
    addTo(this.claims, partition, claim);
  }

  /** Leaves these entries in the inbox after all, or to be named again. */
  leaveInInbox(entries: ReadonlySet<string>): void {
    if (entries.size === 0) return;
    retainIn(this.inboxTaken, (entry) => !entries.has(entry));
    retainIn(this.aliases, ({ key }) => !entries.has(key));
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
   * Drops everything about submissions that turned out not to have happened, and the names and
   * claims that pointed to them. `taken`: the keys that this group was refused for. Pages that were taken in after them counted them among the runs
   * still parked in their lanes.
   */
  drop(dropped: DroppedSubmissions, taken: TakenKeys | null): void {
    this.changed = true;
    const isGone = (partition: number, seq: number): boolean => dropped.has(partition, seq);
    for (const [partition, facts] of this.facts) {
      const left = factsWithout(facts, dropped.of(partition));
      this.factCount -= facts.length - left.length;
      if (left.length === 0) this.facts.delete(partition);
      else this.facts.set(partition, left);
    }
    for (const [partition, owed] of this.owed) retain(owed, ({ seq }) => !isGone(partition, seq));
    retain(this.effects, (effect) => {
      const ref = partitionAndSeq(effect);
      return ref === null || !isGone(ref.partition, ref.seq);
    });
    retainIn(this.aliases, ({ run }) => !isGone(run.partition, run.seq));
    retainIn(this.claims, ({ tenant, key, run, withKey = key }) => {
      return (
        !isGone(run.partition, run.seq) &&
        !taken?.isTakenFrom(run, { tenant, key }) &&
        !taken?.isTakenFrom(run, { tenant, key: withKey })
      );
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
    this.claims.delete(partition);
    retain(this.effects, (effect) => partitionAndSeq(effect)?.partition !== partition);
    const dropped = this.replies.filter((reply) => reply.partition === partition);
    retain(this.replies, (reply) => reply.partition !== partition);
    return dropped;
  }

  /**
   * The submissions in this group that ask for keys which others have, in one pass. The holder itself
   * may be in the same group, when memory forgot its key before it was durable: that one stays.
   */
  findTaken(taken: TakenKeys): DroppedSubmissions {
    const found = new DroppedSubmissions();
    for (const [partition, facts] of this.facts) {
      let request: { readonly firstSeq: number; readonly count: number; holder: KeyHolder } | null =
        null;
      for (const fact of facts) {
        if (fact.kind !== 'runSubmitted') continue;
        const { run: submitted } = fact;
        const { seq, head, spec } = submitted;
        const holder = taken.of(spec.tenant, head);
        if (holder !== undefined && !isRun(holder, { partition, seq })) {
          request = { firstSeq: seq, count: head.batch ?? 1, holder };
        }
        if (request === null || seq >= request.firstSeq + request.count) continue;
        const { firstSeq } = request;
        const lane = fact.parked?.lane ?? null;
        found.add(partition, { submitted, lane, firstSeq, holder: request.holder });
      }
    }
    return found;
  }
}

function addTo<T>(lists: Map<number, T[]>, partition: number, item: T): void {
  const list = lists.get(partition);
  if (list === undefined) lists.set(partition, [item]);
  else list.push(item);
}

function retainIn<T>(lists: Map<number, T[]>, keep: (item: T) => boolean): void {
  for (const [partition, list] of lists) {
    retain(list, keep);
    if (list.length === 0) lists.delete(partition);
  }
}

type DroppedBySeq = ReadonlyMap<number, Dropped>;

/** Facts of a schedule stay, but an event that did not happen has met no window. */
function isAbout(fact: Fact, dropped: DroppedBySeq): boolean {
  if (fact.kind === 'windowMet') return dropped.has(fact.run);
  if (fact.kind === 'runSubmitted' || fact.kind === 'runsPagedIn') return false;
  return !isScheduleFact(fact) && dropped.has(fact.seq);
}

/** One pass, however many are dropped: a request may have made a thousand of thousands of facts. */
function factsWithout(facts: Fact[], dropped: DroppedBySeq | undefined): Fact[] {
  if (dropped === undefined) return facts;
  const areHere = facts.some((fact) => fact.kind === 'runSubmitted' && dropped.has(fact.run.seq));
  const parkedBefore = new Map<string, number>();
  const park = (lane: string | null): void => {
    if (lane !== null) parkedBefore.set(lane, (parkedBefore.get(lane) ?? 0) + 1);
  };
  if (!areHere) for (const { lane } of dropped.values()) park(lane);
  const left: Fact[] = [];
  for (const fact of facts) {
    if (fact.kind === 'runSubmitted' && dropped.has(fact.run.seq)) {
      park(fact.parked?.lane ?? null);
    } else if (fact.kind === 'runsPagedIn') {
      const gone = parkedBefore.get(fact.lane) ?? 0;
      left.push(gone === 0 ? fact : { ...fact, parkedLeft: Math.max(0, fact.parkedLeft - gone) });
    } else if (!isAbout(fact, dropped)) left.push(fact);
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
