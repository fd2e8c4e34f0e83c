import type { Answer, Command } from '@signalbox/engine';

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
  #posted = 0;
  #read = 0;

  get isEmpty(): boolean {
    return this.#mail.length === 0;
  }

  /** Commands that wait: what bounds the memory is how many there are, not in how many mails. */
  get size(): number {
    return this.#commands;
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
    this.#posted++;
  }

  /** Reads for as long as there is room for what it decides. */
  read(hasRoom: () => boolean, handle: (mail: Mail) => void): void {
    let read = 0;
    while (read < this.#mail.length && hasRoom()) {
      const mail = this.#mail[read++] as Mail;
      this.#commands -= mail.commands.length;
      handle(mail);
    }
    this.#read += read;
    this.#mail = read === this.#mail.length ? [] : this.#mail.slice(read);
  }

  /** Takes out everything unread. */
  clear(): Mail[] {
    this.#commands = 0;
    return this.#mail.splice(0);
  }
}
