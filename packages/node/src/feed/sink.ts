import { REAL_TIMERS, type StreamTimers } from './timers.ts';

/** Where server-sent text goes: a socket, or a test. */
export interface Sink {
  write(text: string): void;
  /** What the client has not taken yet. */
  readonly bufferedBytes: number;
  /** Resolves when the client has taken what was written, or is gone. */
  drained(): Promise<void>;
  /** True when the client has disconnected; later writes are not read. */
  readonly isGone?: boolean;
  close(): void;
}

/** A client that is behind by more than this is cut; it resumes where it was. */
export const BUFFER_MAX = 1_048_576;
const HEARTBEAT_MS = 15_000;

/** Gathers what comes in one turn into one write, keeps the line alive, and cuts who does not read. */
export class SlowGuard {
  readonly #sink: Sink;
  readonly #timers: StreamTimers;
  readonly #stopBeating: () => void;
  readonly #onClose: () => void;
  #text = '';
  #flushing = false;
  #closed = false;

  constructor(params: {
    sink: Sink;
    /** What goes out with each heartbeat beside the comment itself. */
    beat: () => string;
    /** Called when the stream ends, by either side. */
    onClose: () => void;
    heartbeatMs?: number;
    timers?: StreamTimers | undefined;
  }) {
    this.#sink = params.sink;
    this.#onClose = params.onClose;
    const { beat, heartbeatMs = HEARTBEAT_MS, timers = REAL_TIMERS } = params;
    this.#timers = timers;
    this.#stopBeating = timers.every(heartbeatMs, () => this.write(`: still here\n${beat()}\n`));
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(text: string): void {
    if (this.#closed) return;
    // By what waits already: one message may be longer, and a client that reads is never cut for it.
    if (this.#text.length > BUFFER_MAX) return this.close();
    this.#text += text;
    if (this.#flushing) return;
    this.#flushing = true;
    this.#timers.soon(() => this.#flush());
  }

  /** Resolves when there is room; for writers that can wait, such as a reader of the journal. */
  async ready(): Promise<void> {
    if (this.#text.length + this.#sink.bufferedBytes < BUFFER_MAX / 4) return;
    this.#flush();
    if (!this.#closed) await this.#sink.drained();
    if (this.#sink.isGone === true) this.close();
  }

  /** Sends what is left and ends. */
  end(): void {
    if (this.#closed) return;
    this.#flush();
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#text = '';
    this.#stopBeating();
    this.#onClose();
    this.#sink.close();
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#closed || this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    if (this.#sink.bufferedBytes > BUFFER_MAX) return this.close();
    this.#sink.write(text);
  }
}
