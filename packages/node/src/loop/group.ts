import {
  type Answer,
  type Effect,
  type Fact,
  isScheduleFact,
  type SubmittedRun,
} from '@signalbox/engine';

/** Somebody who waits for a decision to be durable. */
export interface Reply {
  readonly partition: number | null;
  answer: Answer;
  readonly resolve: (answer: Answer) => void;
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
  factCount = 0;
  /** Something has left it since it was put together. */
  changed = false;

  constructor(number: number) {
    this.number = number;
  }

  /** There is something to write; an inbox entry may leave without a fact, when its run is there already. */
  get hasWrites(): boolean {
    return this.factCount > 0 || this.inboxTaken.size > 0;
  }

  get isEmpty(): boolean {
    return !this.hasWrites && this.effects.length === 0 && this.replies.length === 0;
  }

  add(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const list = this.facts.get(fact.partition);
      if (list === undefined) this.facts.set(fact.partition, [fact]);
      else list.push(fact);
    }
    this.factCount += facts.length;
  }

  /**
   * Strikes everything about a submission that turned out not to have happened. Pages that were
   * taken in after it counted it among the runs still parked in its lane.
   */
  strike(struck: { partition: number; seq: number; lane: string | null }): void {
    const { partition, seq, lane } = struck;
    this.changed = true;
    const facts = this.facts.get(partition);
    if (facts !== undefined) {
      let isAfter = !facts.some((fact) => fact.kind === 'runSubmitted' && fact.run.seq === seq);
      const left = facts.flatMap((fact): Fact[] => {
        if (fact.kind === 'runSubmitted' && fact.run.seq === seq) isAfter = true;
        if (concerns(fact, seq)) return [];
        if (fact.kind !== 'runsPagedIn' || fact.lane !== lane || !isAfter) return [fact];
        return [{ ...fact, parkedLeft: Math.max(0, fact.parkedLeft - 1) }];
      });
      this.factCount -= facts.length - left.length;
      if (left.length === 0) this.facts.delete(partition);
      else this.facts.set(partition, left);
    }
    retain(this.effects, (effect) => {
      const ref = partitionAndSeq(effect);
      return ref === null || ref.partition !== partition || ref.seq !== seq;
    });
  }

  /** Takes out everything of a partition that is not ours any more; its replies are the caller's. */
  dropPartition(partition: number): Reply[] {
    this.changed = true;
    const facts = this.facts.get(partition);
    this.factCount -= facts?.length ?? 0;
    this.facts.delete(partition);
    this.inboxTaken.delete(partition);
    retain(this.effects, (effect) => partitionAndSeq(effect)?.partition !== partition);
    const dropped = this.replies.filter((reply) => reply.partition === partition);
    retain(this.replies, (reply) => reply.partition !== partition);
    return dropped;
  }

  /**
   * The submission in this group that asks for a key of another run. The holder itself may be in
   * the same group, when memory forgot its key before it was durable: that one stays.
   */
  findSubmission(
    tenant: string,
    key: string,
    holder: { readonly partition: number; readonly seq: number },
  ): { partition: number; run: SubmittedRun; lane: string | null } | null {
    for (const facts of this.facts.values()) {
      for (const fact of facts) {
        if (fact.kind !== 'runSubmitted' || fact.run.spec.tenant !== tenant) continue;
        const { head } = fact.run;
        if (head.key !== key && head.inbox !== key) continue;
        if (fact.partition === holder.partition && fact.run.seq === holder.seq) continue;
        return { partition: fact.partition, run: fact.run, lane: fact.parked?.lane ?? null };
      }
    }
    return null;
  }
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
    default:
      return null;
  }
}

function concerns(fact: Fact, seq: number): boolean {
  switch (fact.kind) {
    case 'runSubmitted':
      return fact.run.seq === seq;
    case 'runsPagedIn':
      return false;
    default:
      return !isScheduleFact(fact) && fact.seq === seq;
  }
}

function retain<T>(items: T[], keep: (item: T) => boolean): void {
  let kept = 0;
  for (const item of items) if (keep(item)) items[kept++] = item;
  items.length = kept;
}
