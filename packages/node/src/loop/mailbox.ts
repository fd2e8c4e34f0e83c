import type { Answer, Command } from '@signalbox/engine';

export interface Mail {
  /** Null where somebody only waits for everything before it. */
  readonly command: Command | null;
  /** Null for worker reports and the loop's own commands, which nobody waits for. */
  readonly resolve: ((answer: Answer) => void) | null;
  readonly partition: number | null;
  /** The inbox entry that this submission takes out. */
  readonly inboxEntry?: string;
}

/** What waits to be decided, in the order in which it came. */
export class Mailbox {
  #mail: Mail[] = [];
  #posted = 0;
  #read = 0;

  get size(): number {
    return this.#mail.length;
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
    this.#posted++;
  }

  /** Reads for as long as there is room for what it decides. */
  read(hasRoom: () => boolean, handle: (mail: Mail) => void): void {
    let read = 0;
    while (read < this.#mail.length && hasRoom()) handle(this.#mail[read++] as Mail);
    this.#read += read;
    this.#mail = read === this.#mail.length ? [] : this.#mail.slice(read);
  }

  /** Takes out everything unread. */
  clear(): Mail[] {
    return this.#mail.splice(0);
  }
}
