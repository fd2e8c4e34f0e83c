import type { Answer, Command, Engine, FollowedEnd } from '@signalbox/engine';
import type { HeldKey } from '@signalbox/store';
import {
  answerAfterDrop,
  type DroppedSubmissions,
  type Holder,
  type TakenKeys,
} from './dropped-submissions.ts';
import { Group, type Reply } from './group.ts';
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
      if (group.hasEnd(partition, seq)) return group.number;
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
    const { key } = first.head;
    const known = key === undefined ? undefined : this.#engine.core.keys.get(tenant, key);
    if (known?.partition === answer.partition && known.seq === answer.seq) this.#keepFirst(answers);
  }

  /**
   * The client of an entry was told that its submission is new. One under the same key that was
   * accepted a moment ago becomes durable with the entry's key: it is the same run, and not new.
   */
  #keepFirst(answers: readonly Answer[]): void {
    const names = new Set(answers.map(nameOfRun));
    for (const reply of this.gathering.replies) {
      for (const [i, answer] of reply.answers.entries()) {
        if (answer.kind !== 'accepted' || !names.has(nameOfRun(answer))) continue;
        reply.answers[i] = { ...answer, kind: 'duplicate' };
      }
    }
  }

  /**
   * A submission under a key that is a live run by its unique value: the key is that run's from now
   * on, or sent again after its end it would be another. The store says whether the key is free;
   * memory may have forgotten whose it is. An entry gives its key on to the run that it is.
   */
  claimKeys({ commands, inboxEntry }: Reply['mail'], answers: readonly Answer[]): void {
    for (const [i, answer] of answers.entries()) {
      const command = commands[i];
      if (answer.kind !== 'duplicate' || command?.kind !== 'submit') continue;
      const { key } = command.head;
      const { tenant } = command.spec;
      if (key === undefined) continue;
      const isKnown = this.#engine.core.keys.get(tenant, key) !== undefined;
      if (isKnown && inboxEntry === undefined) continue;
      const { digest } = command.head;
      const run = runOf(answer);
      this.gathering.addClaim(command.partition, { tenant, key, run });
      if (digest === undefined) continue;
      // The run is not of this request and does not say what its content was.
      const content = { tenant, key: contentKey(key, digest), run, withKey: key };
      this.gathering.addClaim(command.partition, content);
    }
  }

  /**
   * Others have keys that the group on its way asks for: nothing of those submissions happened, and
   * everybody who was told of them is told of the holder. The key of a request is that of its first
   * run and goes for all of them. What equals them by a unique value only is decided again: no live
   * run has the value.
   */
  drop(taken: TakenKeys, decide: (command: Command) => Answer): void {
    if (this.inFlight === null) return;
    this.gather();
    const dropped = this.inFlight.findTaken(taken);
    for (const [partition, { submitted, lane }] of dropped.entries()) {
      decide({ kind: 'withdraw', partition, submitted, lane });
    }
    this.gather();
    const again: { readonly group: Group; readonly reply: Reply; readonly indexes: number[] }[] =
      [];
    for (const group of this.#both()) {
      const isRefused = group === this.inFlight;
      group.drop(dropped, isRefused ? taken : null);
      const params = { taken, dropped, isRefused };
      again.push(...correctReplies(group, params));
    }
    for (const { group, reply, indexes } of again) this.#decideAgain(group, reply, indexes, decide);
  }

  #decideAgain(
    group: Group,
    reply: Reply,
    indexes: readonly number[],
    decide: (command: Command) => Answer,
  ): void {
    const { answers, mail } = reply;
    for (const i of indexes) answers[i] = decide(mail.commands[i] as Command);
    this.claimKeys(
      { ...mail, commands: indexes.map((i) => mail.commands[i] as Command) },
      indexes.map((i) => answers[i] as Answer),
    );
    if (mail.inboxEntry !== undefined) {
      this.takeFromInbox(mail.inboxEntry, mail.commands, answers);
    }
    if (group === this.gathering) return;
    const isPartial = indexes.length < answers.length;
    this.gathering.replies.push(isPartial ? { ...reply, isPartial } : reply);
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

function nameOfRun(answer: Answer): string {
  return 'seq' in answer ? `${answer.partition}/${answer.seq}` : '';
}

/** The key that says what the content of a request was, where no run of it does. */
export function contentKey(key: string, digest: string): string {
  return `${key}\u0001${digest}`;
}

interface Correction {
  readonly taken: TakenKeys;
  readonly dropped: DroppedSubmissions;
  readonly isRefused: boolean;
}

/** Corrects the answers of a group; returns those to be decided again, which leave it. */
function correctReplies(
  group: Group,
  correction: Correction,
): { group: Group; reply: Reply; indexes: number[] }[] {
  const again: { group: Group; reply: Reply; indexes: number[] }[] = [];
  const left = new Set<string>();
  const renamed: { partition: number; alias: HeldKey }[] = [];
  for (const reply of group.replies) {
    const { indexes, isChanged } = correctReply(reply, correction);
    if (indexes.length > 0) again.push({ group, reply, indexes });
    const { inboxEntry, commands } = reply.mail;
    const [command] = commands;
    if (!isChanged || inboxEntry === undefined || command?.kind !== 'submit') continue;
    left.add(inboxEntry);
    const [answer] = reply.answers;
    if (indexes.length > 0 || answer?.kind !== 'duplicate') continue;
    // Its client finds the holder under the name it was given.
    const alias = { tenant: command.spec.tenant, key: inboxEntry, run: runOf(answer) };
    renamed.push({ partition: command.partition, alias });
  }
  group.leaveInInbox(left);
  for (const { partition, alias } of renamed) {
    group.takeFromInbox(partition, alias.key);
    group.addAlias(partition, alias);
  }
  const moved = new Set(again.map(({ reply }) => reply));
  if (correction.isRefused && moved.size > 0) {
    const staying = group.replies.filter((reply) => !moved.has(reply));
    group.replies.splice(0, group.replies.length, ...staying);
  }
  return again;
}

function correctReply(
  { answers, mail }: Reply,
  correction: Correction,
): { indexes: number[]; isChanged: boolean } {
  const indexes: number[] = [];
  let isChanged = false;
  const [first] = mail.commands;
  const request = first?.kind === 'submit' && first.head.batch !== undefined ? first.head : null;
  for (const [i, answer] of answers.entries()) {
    const command = mail.commands[i];
    if (command === undefined) continue;
    const head = request ?? (command.kind === 'submit' ? command.head : null);
    const corrected = answerAfterDrop({ answer, command, head, ...correction });
    if (corrected === answer) continue;
    isChanged = true;
    if (corrected === 'again') indexes.push(i);
    else answers[i] = corrected;
  }
  return { indexes, isChanged };
}
