import type { FromNode, FromWorker } from '@signalbox/protocol';
import type { Gateway } from './gateway.ts';
import type { Session } from './peer.ts';

export interface InProcessHandlers {
  received(frames: readonly FromNode[]): void;
  closed(code: number, reason: string): void;
}

export interface InProcessConnection {
  send(frames: readonly FromWorker[]): void;
  /** Resolves when the node has received everything that was sent before. */
  close(code?: number): Promise<void>;
}

/**
 * A link without a network. Frames are handed over as they are, payloads included, which neither
 * side writes into; but never within the call that sent them: neither side has to expect an answer
 * before its own call has returned.
 */
export function connectInProcess(gateway: Gateway): {
  connect(handlers: InProcessHandlers): Promise<InProcessConnection>;
} {
  return { connect: async (handlers) => new InProcessLink(gateway, handlers).connection };
}

class InProcessLink {
  readonly connection: InProcessConnection = {
    send: (frames) => {
      if (!this.#closed) this.#toNode.push(frames);
    },
    close: (code = 1000) => this.#closeByWorker(code),
  };
  readonly #handlers: InProcessHandlers;
  readonly #session: Session;
  readonly #toNode: Lane<FromWorker>;
  readonly #toWorker: Lane<FromNode>;
  #closed = false;

  constructor(gateway: Gateway, handlers: InProcessHandlers) {
    this.#handlers = handlers;
    this.#toNode = new Lane((frames) => this.#session.receive(frames));
    this.#toWorker = new Lane((frames) => this.#handlers.received(frames));
    this.#session = gateway.open({
      send: (frames) => {
        if (!this.#closed) this.#toWorker.push(frames);
      },
      close: (code, reason) => this.#close(code, reason),
      bufferedBytes: 0,
    });
  }

  /** Frames sent before the end still arrive, as on a socket that is closed in order. */
  #close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#toWorker.end(() => this.#handlers.closed(code, reason));
  }

  #closeByWorker(code: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#close(code, '');
    return new Promise((resolve) => {
      this.#toNode.end(() => {
        this.#session.closed();
        resolve();
      });
    });
  }
}

/**
 * Frames that are delivered in one turn. What a commit releases would otherwise be run, ended and
 * decided as one piece, which then waits for one commit, and nothing is left to do meanwhile; in
 * pieces, one is decided while another becomes durable.
 */
const FRAMES_AT_ONCE = 512;

/** One direction: frames of one turn are delivered in the next turn, message by message. */
class Lane<Frame> {
  readonly #deliver: (frames: readonly Frame[]) => void;
  #waiting: Frame[] = [];
  #scheduled = false;
  #onEnd: (() => void) | null = null;

  constructor(deliver: (frames: readonly Frame[]) => void) {
    this.#deliver = deliver;
  }

  push(frames: readonly Frame[]): void {
    for (const frame of frames) this.#waiting.push(frame);
    this.#schedule();
  }

  end(onEnd: () => void): void {
    this.#onEnd = onEnd;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const frames = this.#take();
      if (frames.length > 0) this.#deliver(frames);
      if (this.#waiting.length > 0) return this.#schedule();
      const onEnd = this.#onEnd;
      this.#onEnd = null;
      onEnd?.();
    });
  }

  #take(): readonly Frame[] {
    if (this.#waiting.length > FRAMES_AT_ONCE) return this.#waiting.splice(0, FRAMES_AT_ONCE);
    const frames = this.#waiting;
    this.#waiting = [];
    return frames;
  }
}
