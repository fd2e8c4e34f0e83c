import { Worker as Thread } from 'node:worker_threads';
import { siblingModule } from '../sibling-module.ts';
import type { FromLinkThread, ToLinkThread } from './link-messages.ts';

export interface SocketHandlers {
  opened(): void;
  received(bytes: Uint8Array): void;
  closed(code: number, reason: string): void;
}

/** Small: it holds sockets and the messages on their way, and is there for as long as the worker. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

/** The link thread as the main thread sees it; one for all the nodes of a process. */
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
    this.#thread.on('message', (message: FromLinkThread) => this.#told(message));
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
    this.#tell({ kind: 'open', id, ...params });
    return id;
  }

  /** The bytes are given away: the caller does not touch them again. */
  send(id: number, bytes: Uint8Array): void {
    const message: ToLinkThread = { kind: 'send', id, bytes };
    this.#thread.postMessage(message, [bytes.buffer as ArrayBuffer]);
  }

  beat(params: { id: number; everyMs: number; bytes: Uint8Array }): void {
    this.#tell({ kind: 'beat', ...params });
  }

  close(id: number, code: number): void {
    this.#tell({ kind: 'close', id, code });
  }

  /** Once its sockets are closed. */
  end(): void {
    this.#isDead = true;
    this.#tell({ kind: 'end' });
  }

  #tell(message: ToLinkThread): void {
    this.#thread.postMessage(message);
  }

  #told(message: FromLinkThread): void {
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
