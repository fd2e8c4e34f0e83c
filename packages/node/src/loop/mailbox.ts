import type { Answer, Command } from '@signalbox/engine';
import { commandBytes } from './command-bytes.ts';

export interface Mail {
  /** Decided in one step, so that they become durable together; none where somebody only waits. */
  readonly commands: readonly Command[];
  /** Null for worker reports and the loop's own commands, which nobody waits for. */
  readonly resolve: ((answers: readonly Answer[]) => void) | null;
  readonly partition: number | null;
  /** The inbox entry that these submissions take out. */
  readonly inboxEntry?: string;
}

/** What waits to be decided, in the order in which it came. */
export class Mailbox {
  #mail: Mail[] = [];
  #commands = 0;
  #bytes = 0;
  #posted = 0;
  #read = 0;

  get isEmpty(): boolean {
    return this.#mail.length === 0;
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
    this.#mail.push(mail);
    this.#commands += mail.commands.length;
    this.#bytes += commandBytes(mail.commands);
    this.#posted++;
  }

  /**
   * Reads for as long as there is room for what it decides. `handle` returns how many commands of the
   * mail it has handled; the others stay, and come first the next time.
   */
  read(hasRoom: () => boolean, handle: (mail: Mail) => number): void {
    let read = 0;
    while (read < this.#mail.length && hasRoom()) {
      const mail = this.#mail[read] as Mail;
      const { commands } = mail;
      const handled = handle(mail);
      const isWhole = handled === commands.length;
      this.#commands -= handled;
      this.#bytes -= commandBytes(isWhole ? commands : commands.slice(0, handled));
      if (isWhole) read++;
      else this.#mail[read] = { ...mail, commands: commands.slice(handled) };
    }
    this.#read += read;
    this.#mail = read === this.#mail.length ? [] : this.#mail.slice(read);
  }

  /** Takes out everything unread. */
  clear(): Mail[] {
    this.#commands = 0;
    this.#bytes = 0;
    return this.#mail.splice(0);
  }
}
