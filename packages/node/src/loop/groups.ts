import type { Command, Engine, FollowedEnd } from '@signalbox/engine';
import { Group } from './group.ts';
import type { Mail } from './mailbox.ts';
import type { LoopPorts } from './ports.ts';
import { keysOf, type Reply } from './reply.ts';
import { type Refusal, TakenKeys } from './taken-keys.ts';
import { WithdrawnRuns } from './withdrawn-runs.ts';
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
      if (group.hasEnd(partition, seq)) return group.number;
    }
    return null;
  }

  /**
   * Other runs or entries have keys that the group on its way asks for. Each mail that asks for one is
   * undone whole: nothing of it was written or answered, and no other decision depends on it, because
   * what does waits until the group is durable. Returns that mail, to be decided again with what the
   * store has said.
   */
  undo(refusal: Refusal, apply: Apply): Mail[] {
    const group = this.inFlight;
    if (group === null) return [];
    this.gather();
    const refused = new TakenKeys(refusal);
    const undone = group.takeReplies((reply) => asksFor(reply, refused));
    const withdrawn = WithdrawnRuns.of(undone, group.facts);
    for (const [partition, run] of withdrawn.entries()) {
      apply({ kind: 'withdraw', partition, ...run });
    }
    apply({ kind: 'forgetKeys', keys: undone.flatMap((reply) => [...keysOf(reply)]) });
    this.gather();
    for (const each of this.#both()) each.drop(withdrawn);
    return undone.map((reply) => {
      const mail = reply.mail as Mail;
      return { ...mail, taken: refused.only(keysOf(reply), mail.taken) };
    });
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

type Apply = (command: Command) => void;

function asksFor(reply: Reply, refused: TakenKeys): boolean {
  for (const { tenant, key } of keysOf(reply)) if (refused.has(tenant, key)) return true;
  return false;
}
