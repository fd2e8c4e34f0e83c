/** How far the node's time may lag or lead the store's before it is corrected. */
const TOLERANCE_MS = 50;
/** A correction moves at most this fraction of the time that has passed. */
const SLEW = 0.1;

/**
 * The time that decisions use: the store's clock, carried forward by this process's monotonic
 * clock. The machine's own calendar clock is never read, so a step of it loses no lease and fires
 * no deadline (F14). Corrections are slow and never go backwards.
 */
export class ServerTime {
  readonly #monotonicMs: () => number;
  #offset: number | null = null;
  #syncedAt = 0;
  #last = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  now(): number {
    const now = Math.floor(this.#monotonicMs() + (this.#offset ?? 0));
    if (now > this.#last) this.#last = now;
    return this.#last;
  }

  /** The clock of this process alone: it never steps and knows no calendar. */
  monotonic(): number {
    return this.#monotonicMs();
  }

  /** The store said what time it is, in an answer to a question asked at `askedAt`. */
  sync(storeMs: number, askedAt: number): void {
    const mono = this.#monotonicMs();
    const target = storeMs - (askedAt + mono) / 2;
    if (this.#offset === null) this.#offset = target;
    else if (Math.abs(target - this.#offset) > TOLERANCE_MS) {
      const step = SLEW * (mono - this.#syncedAt);
      this.#offset += Math.max(-step, Math.min(step, target - this.#offset));
    }
    this.#syncedAt = mono;
  }
}
