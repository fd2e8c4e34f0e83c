import type { Answer, Command, Engine, FollowedEnd } from '@signalbox/engine';
import type { HeldKey } from '@signalbox/store';
import { Group, isAmong, type Reply, type Submissions } from './group.ts';
import type { LoopPorts } from './ports.ts';
import { entryOfWord, type Post } from './words.ts';

/** The two groups there are at any time: one on its way to the store, one gathering behind it. */
export class Groups {
  readonly #engine: Engine;
  readonly #ports: Pick<LoopPorts, 'follow'>;
  readonly #post: Post;
  gathering = new Group(1);
  inFlight: Group | null = null;

  constructor(engine: Engine, ports: Pick<LoopPorts, 'follow'>, post: Post) {
    this.#engine = engine;
    this.#ports = ports;
    this.#post = post;
    engine.take(this.gathering.number);
  }

  /** Takes what the engine has decided into the gathering group. */
  gather(): void {
    this.gathering.bytes += this.#engine.core.pendingBytes;
    const { facts, effects } = this.#engine.take(this.gathering.number);
    this.gathering.add(facts);
    for (const end of this.#engine.takeEnds()) this.#follow(end);
    for (const word of this.#engine.takeWords()) {
      const { partition, seq } = word;
      this.gathering.owe(partition, { seq, entries: [entryOfWord(word, this.#post)] });
    }
    this.gathering.addEffects(effects);
  }

  #follow(end: FollowedEnd): void {
    const { partition, seq } = end.fact;
    const entries = this.#ports.follow?.(end) ?? [];
    if (entries.length > 0) this.gathering.owe(partition, { seq, entries });
  }

  /** Closes the gathering group; what is decided from now on belongs to the next. */
  close(): Group {
    this.gather();
    const group = this.gathering;
    this.gathering = new Group(group.number + 1);
    this.#engine.take(this.gathering.number);
    return group;
  }

  /** The newest group that holds anything. */
  get newest(): number {
    return this.gathering.isEmpty ? this.gathering.number - 1 : this.gathering.number;
  }

  /** Facts that wait to be durable and have not left yet. */
  get waitingFacts(): number {
    return this.gathering.factCount + this.#engine.core.facts.length;
  }

  /** The same in bytes of payloads. */
  get waitingBytes(): number {
    return this.gathering.bytes + this.#engine.core.pendingBytes;
  }

  /** The group that holds the end of a run, if the end is not durable yet. */
  endingOf(partition: number, seq: number): number | null {
    for (const group of this.#both()) {
      const facts = group.facts.get(partition);
      if (facts?.some((fact) => fact.kind === 'runEnded' && fact.seq === seq)) return group.number;
    }
    return null;
  }

  /**
   * An entry that was heard leaves the inbox, also a submission that turned out to be a run already:
   * its client finds that under the name it was given. What could not be judged yet is told again.
   */
  takeFromInbox(entry: string, commands: readonly Command[], answers: readonly Answer[]): void {
    const [first, answer] = [commands[0], answers[0]];
    const last = commands.at(-1);
    if (first === undefined || last === undefined || answer === undefined) return;
    if (!('partition' in first) || answers.some(({ kind }) => kind === 'refused')) return;
    const { partition } = first;
    const said = answers.at(-1);
    if (last.kind === 'cancelNested' && said?.kind === 'duplicate') {
      // Heard again once this is durable: only then is it sure that no submission came before it.
      const { tenant, key } = last;
      return this.gathering.addAlias(partition, { tenant, key, run: runOf(said) });
    }
    this.gathering.takeFromInbox(partition, entry);
    if (first.kind !== 'submit' || answer.kind !== 'duplicate') return;
    const { tenant } = first.spec;
    this.gathering.addAlias(partition, { tenant, key: entry, run: runOf(answer) });
  }

  /** Strikes submissions that the store refused; whoever was told of them is told of the holder. */
  strike(struck: Submissions, holder: Holder): void {
    this.gather();
    for (const group of this.#both()) {
      group.strike(struck);
      for (const { answers } of group.replies) tellHolder(answers, struck, holder);
      for (const aliases of group.aliases.values()) pointToHolder(aliases, struck, holder);
    }
    // An entry leaves the inbox all the same: its client finds the holder under the name it was given.
    for (const { head, spec } of struck.runs) {
      if (head.inbox === undefined) continue;
      const alias = { tenant: spec.tenant, key: head.inbox, run: holder };
      this.inFlight?.addAlias(struck.partition, alias);
    }
  }

  /** Drops everything of a partition; answers who waited for the two groups. */
  dropPartition(partition: number): { inFlight: Reply[]; gathering: Reply[] } {
    this.gather();
    return {
      inFlight: this.inFlight?.dropPartition(partition) ?? [],
      gathering: this.gathering.dropPartition(partition),
    };
  }

  #both(): Group[] {
    return this.inFlight === null ? [this.gathering] : [this.inFlight, this.gathering];
  }
}

function runOf({ partition, seq, ms }: Holder): Holder {
  return { partition, seq, ms };
}

/** Of a request the holder is the first: the others follow it as these follow theirs. */
function tellHolder(answers: Answer[], struck: Submissions, holder: Holder): void {
  for (const [i, answer] of answers.entries()) {
    if (answer.kind !== 'accepted' && answer.kind !== 'duplicate') continue;
    if (answer.partition !== struck.partition || !isAmong(struck, answer.seq)) continue;
    const { partition, ms } = holder;
    const seq = holder.seq + answer.seq - struck.firstSeq;
    answers[i] = { kind: 'duplicate', partition, seq, ms };
  }
}

/** A name that was to stand for one of the struck submissions stands for what they are. */
function pointToHolder(aliases: HeldKey[], struck: Submissions, holder: Holder): void {
  for (const [i, alias] of aliases.entries()) {
    const { partition, seq } = alias.run;
    if (partition !== struck.partition || !isAmong(struck, seq)) continue;
    aliases[i] = { ...alias, run: { ...holder, seq: holder.seq + seq - struck.firstSeq } };
  }
}

export interface Holder {
  readonly partition: number;
  readonly seq: number;
  readonly ms: number;
}
