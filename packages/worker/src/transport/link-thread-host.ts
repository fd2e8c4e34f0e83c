import { Worker as Thread } from 'node:worker_threads';
import { siblingModule } from '../sibling-module.ts';
import type { FromLinkThread, ToLinkThread } from './link-messages.ts';

export interface SocketHandlers {
  opened(): void;
  received(bytes: Uint8Array): void;
  closed(code: number, reason: string): void;
}

/** Small: the thread holds only sockets and messages in flight, for as long as the worker runs. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

/** The main thread's side of the link thread; one thread for all nodes of a process. */
export class LinkThreadHost {
  readonly #thread: Thread;
  readonly #sockets = new Map<number, SocketHandlers>();
  #opened = 0;
  #isDead = false;

  constructor() {
    this.#thread = new Thread(siblingModule('link-thread', import.meta.url), {
      resourceLimits: LIMITS,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#thread.on('message', (message: FromLinkThread) => this.#received(message));
    this.#thread.on('error', (error: Error) => this.#died(error.message));
    this.#thread.on('exit', () => this.#died('the link thread ended'));
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  open(
    params: { url: string; key: string; buffered: Int32Array; bytesMax: number },
    handlers: SocketHandlers,
  ): number {
    const id = this.#opened;
    this.#opened += 1;
    this.#sockets.set(id, handlers);
    this.#post({ kind: 'open', id, ...params });
    return id;
  }

  /** Transfers the bytes: the caller must not use them again. */
  send(id: number, bytes: Uint8Array): void {
    const message: ToLinkThread = { kind: 'send', id, bytes };
    this.#thread.postMessage(message, [bytes.buffer as ArrayBuffer]);
  }

  beat(params: { id: number; everyMs: number; bytes: Uint8Array }): void {
    this.#post({ kind: 'beat', ...params });
  }

  close(id: number, code: number): void {
    this.#post({ kind: 'close', id, code });
  }

  /** The thread ends when its sockets are closed. */
  end(): void {
    this.#isDead = true;
    this.#post({ kind: 'end' });
  }

  #post(message: ToLinkThread): void {
    this.#thread.postMessage(message);
  }

  #received(message: FromLinkThread): void {
    const socket = this.#sockets.get(message.id);
    if (socket === undefined) return;
    switch (message.kind) {
      case 'opened':
        return socket.opened();
      case 'received':
        return socket.received(message.bytes);
      case 'closed':
        this.#sockets.delete(message.id);
        return socket.closed(message.code, message.reason);
    }
  }

  #died(reason: string): void {
    this.#isDead = true;
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    for (const socket of sockets) socket.closed(1006, reason);
  }
}
