import type { Engine } from '@signalbox/engine';
import { applyReports, staleMail } from './apply-mail.ts';
import { decideAll } from './decide-all.ts';
import type { Groups } from './groups.ts';
import type { Leases } from './leases.ts';
import type { AwaitedGroup, Mail, Mailbox } from './mailbox.ts';
import type { LoopPorts } from './ports.ts';
import { isAnswered, replyTo } from './reply.ts';
import type { Refusal } from './taken-keys.ts';

interface DeciderParams {
  readonly engine: Engine;
  readonly ports: LoopPorts;
  readonly mailbox: Mailbox;
  readonly groups: Groups;
  leases(): Leases;
}

/**
 * Reads the mailbox and lets the engine decide. A submission under an idempotency key is provisional
 * until its group is durable, because memory forgets keys and the store may refuse one:
 *
 *   waiting ──▶ decided, in the gathering group ──▶ durable: answered
 *      │  ▲                     │
 *      │  └── its group is      └──▶ the store refuses a key: undone whole, and decided
 *      ▼      durable                again with what the store has said of the key
 *   deferred: it would be compared with something provisional
 *
 * K1 nothing is decided by a provisional run or key, so undoing a mail undoes every trace of it.
 * K2 a mail is undone whole, so a batch is never answered from two different states.
 * K3 each refusal adds a key to what is known of the mail, so deciding it again ends.
 */
export class Decider {
  readonly #p: DeciderParams;

  constructor(params: DeciderParams) {
    this.#p = params;
  }

  /** Decides what waits, for as long as there is room for what it decides. */
  read(now: number, hasRoom: () => boolean): void {
    const { engine, ports, mailbox } = this.#p;
    mailbox.read(hasRoom, (mail, bytes) => {
      const { commands } = mail;
      if (mail.resolve === null && mail.partition === null && commands.length > 1) {
        return applyReports({ commands, bytes }, hasRoom, (command) => {
          engine.apply(command, now, ports.random);
        });
      }
      const awaited = this.#awaitedGroup(mail);
      if (awaited !== null) return awaited;
      this.#decide(mail, now);
      return commands.length;
    });
  }

  /**
   * The store has refused the group on its way: keys that it asks for are not free. Answers how many mails
   * were undone.
   */
  keysTaken(refusal: Refusal, now: number): number {
    const { engine, ports, mailbox, groups } = this.#p;
    const { keys, reserved, damaged = [] } = refusal;
    const count = keys.length + reserved.length + damaged.length;
    for (let i = 0; i < count; i++) ports.observe?.({ kind: 'keyTaken' });
    const undone = groups.undo(refusal, (command) => {
      engine.apply(command, now, ports.random);
    });
    for (const mail of undone) {
      const awaited = this.#awaitedGroup(mail);
      if (awaited === null) this.#decide(mail, now);
      else mailbox.defer(mail, awaited);
    }
    return undone.length;
  }

  /** K1: the group that decides about what the mail would be compared with. */
  #awaitedGroup({ commands }: Mail): AwaitedGroup | null {
    const { engine, mailbox } = this.#p;
    // A caller that only waits, waits for deferred mail as well. So does an event: the run that it was sent
    // to may be a submission that came before it and is deferred.
    const [first] = commands;
    let group = first === undefined || first.kind === 'event' ? mailbox.deferredTo : null;
    for (const command of commands) {
      const awaited = engine.awaitedGroup(command);
      if (awaited !== null && awaited > (group ?? 0)) group = awaited;
    }
    return group === null ? null : { group };
  }

  #decide(mail: Mail, now: number): void {
    const { engine, ports, groups, leases } = this.#p;
    const { commands, taken } = mail;
    const stale = staleMail(mail, engine, leases());
    const answers =
      stale === null
        ? decideAll(commands, taken, (command) => engine.apply(command, now, ports.random))
        : commands.map(() => stale);
    if (!isAnswered(mail)) return;
    const reply = replyTo(mail, answers, engine.core.keys);
    // K2: where the store refuses one key of it, every run of it goes.
    if (reply.mail !== null) engine.refusableTogether(commands, answers);
    groups.gathering.addReply(reply);
  }
}
