import type { Answer, Command } from '@signalbox/engine';
import { commandBytes } from './command-bytes.ts';
import type { TakenKeys } from './taken-keys.ts';

export interface Mail {
  /** Decided in one step, so that they become durable together; none where a caller only waits. */
  readonly commands: readonly Command[];
  /** Null for worker reports and the loop's own commands, which nobody waits for. */
  readonly resolve: ((answers: readonly Answer[]) => void) | null;
  readonly partition: number | null;
  /** The inbox entry that these submissions take out. */
  readonly inboxEntry?: string;
  /** Keys that the store has refused to it. */
  readonly taken?: TakenKeys;
}

interface Waiting {
  readonly mail: Mail;
  readonly bytes: number;
}

interface Deferred extends Waiting {
  readonly group: number;
}

/** What waits to be decided, in the order in which it came. */
export class Mailbox {
  #waiting: Waiting[] = [];
  /** Waits for a group to be durable, in the order of the groups. */
  #deferred: Deferred[] = [];
  #commands = 0;
  #bytes = 0;
  #posted = 0;
  #read = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** The group that the last of the deferred mail waits for, or null. */
  get deferredTo(): number | null {
    return this.#deferred.at(-1)?.group ?? null;
  }

  /** Commands that wait: what bounds the memory is how many there are, not in how many mails. */
  get size(): number {
    return this.#commands;
  }

  /** Bytes of payloads of the commands that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How much has ever been posted: a mark to compare `hasRead` with. */
  get posted(): number {
    return this.#posted;
  }

  /** Everything that had been posted at the mark has been read. */
  hasRead(mark: number): boolean {
    return this.#read >= mark;
  }

  post(mail: Mail): void {
    const bytes = commandBytes(mail.commands);
    this.#waiting.push({ mail, bytes });
    this.#commands += mail.commands.length;
    this.#bytes += bytes;
    this.#posted++;
  }

  /**
   * Reads for as long as there is room for what it decides. `handle` is given the bytes of the mail's
   * payloads as well, and returns how many commands of the mail it has handled; the others stay, and come
   * first the next time. If it returns a group instead, the mail waits until that is durable.
   */
  read(hasRoom: () => boolean, handle: (mail: Mail, bytes: number) => number | AwaitedGroup): void {
    const waiting = this.#waiting;
    let read = 0;
    while (read < waiting.length && hasRoom()) {
      const { mail, bytes } = waiting[read] as Waiting;
      const handled = handle(mail, bytes);
      if (typeof handled === 'object') {
        this.#defer({ mail, bytes, group: handled.group });
        read++;
      } else if (handled === mail.commands.length) {
        this.#commands -= handled;
        this.#bytes -= bytes;
        read++;
      } else waiting[read] = this.#cut(mail, bytes, handled);
    }
    this.#read += read;
    this.#waiting = read === waiting.length ? [] : waiting.slice(read);
  }

  /** Waits until the group is durable. */
  defer(mail: Mail, { group }: AwaitedGroup): void {
    const bytes = commandBytes(mail.commands);
    this.#commands += mail.commands.length;
    this.#bytes += bytes;
    this.#posted++;
    this.#read++;
    this.#defer({ mail, bytes, group });
  }

  #cut(mail: Mail, bytes: number, handled: number): Waiting {
    const commands = mail.commands.slice(handled);
    const left = commandBytes(commands);
    this.#commands -= handled;
    this.#bytes -= bytes - left;
    return { mail: { ...mail, commands }, bytes: left };
  }

  #defer(deferred: Deferred): void {
    const at = this.#deferred.findLastIndex(({ group }) => group <= deferred.group);
    this.#deferred.splice(at + 1, 0, deferred);
  }

  /** The group is durable: what waited for it is read next. */
  release(group: number): void {
    if (this.#deferred.length === 0) return;
    const released = this.#deferred.filter((deferred) => deferred.group <= group);
    if (released.length === 0) return;
    this.#deferred = this.#deferred.slice(released.length);
    this.#read -= released.length;
    this.#waiting = [...released, ...this.#waiting];
  }

  /** Takes out everything unread. */
  clear(): Mail[] {
    this.#commands = 0;
    this.#bytes = 0;
    return [...this.#deferred.splice(0), ...this.#waiting.splice(0)].map(({ mail }) => mail);
  }
}

/** What a mail waits for: a decision that it depends on is not durable yet. */
export interface AwaitedGroup {
  readonly group: number;
}
