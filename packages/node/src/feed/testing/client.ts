import type { Sink } from '../sink.ts';

export interface Message {
  readonly id: string;
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its events hold
  readonly data: any;
}

/** A client of server-sent events that reads as the standard says. */
export class Client implements Sink {
  readonly messages: Message[] = [];
  comments = 0;
  lastEventId = '';
  isClosed = false;
  bufferedBytes = 0;
  #rest = '';
  #waiting: { count: number; resolve: () => void }[] = [];
  #onClose: () => void = () => {};
  readonly closed = new Promise<void>((resolve) => {
    this.#onClose = resolve;
  });

  write(text: string): void {
    if (this.isClosed) return;
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() as string;
    for (const block of blocks) this.#block(block);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.messages.length < count) return true;
      resolve();
      return false;
    });
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.isClosed = true;
    this.#onClose();
  }

  received(count: number): Promise<void> {
    if (this.messages.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  #block(block: string): void {
    let kind = 'message';
    let data: string | null = null;
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments++;
      else if (line.startsWith('id: ')) this.lastEventId = line.slice(4);
      else if (line.startsWith('event: ')) kind = line.slice(7);
      else if (line.startsWith('data: ')) data = line.slice(6);
    }
    if (data === null) return;
    this.messages.push({ id: this.lastEventId, kind, data: JSON.parse(data) });
  }
}
