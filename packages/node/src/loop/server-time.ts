/** How far the node's time may be outside the bounds of a sample before it is corrected. */
const TOLERANCE_MS = 50;
/** A correction moves at most this fraction of the time that has passed. */
const SLEW = 0.1;
/** A round trip up to this long locates the store's clock well enough to take its middle. */
const SHORT_MS = 2 * TOLERANCE_MS;

/**
 * The time that decisions use: the store's clock, carried forward by this process's monotonic
 * clock. The machine's own calendar clock is never read, so a step of it loses no lease and fires
 * no deadline (F14). Corrections are slow and never go backwards.
 *
 * A sample bounds the offset, it does not state it: the store read its clock at some moment between
 * question and answer. An answer that took 8 s leaves 8 s open, and its middle may be 4 s ahead of
 * the store, which would start work before its due time. So a sample moves the offset only as far
 * as its own bounds demand.
 */
export class ServerTime {
  readonly #monotonicMs: () => number;
  #offset: number | null = null;
  /** No short round trip has been seen yet: the offset is a lower bound, and may be far behind. */
  #isRough = false;
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

  /** The store's clock was read as `storeMs` for a call that began at `askedAt` and ends now. */
  sync(storeMs: number, askedAt: number): void {
    const mono = this.#monotonicMs();
    const least = storeMs - mono;
    const most = storeMs - askedAt;
    const isShort = mono - askedAt <= SHORT_MS;
    const middle = (least + most) / 2;
    if (this.#offset === null) {
      this.#offset = isShort ? middle : least;
      this.#isRough = !isShort;
    } else if (this.#isRough && this.#offset < most) {
      // What was known was a lower bound, so a higher one is no step of the clock: take it at once.
      this.#offset = Math.max(this.#offset, isShort ? middle : least);
      this.#isRough = !isShort;
    } else this.#approach(least, most, SLEW * (mono - this.#syncedAt));
    this.#syncedAt = mono;
  }

  #approach(least: number, most: number, step: number): void {
    const offset = this.#offset as number;
    const target = Math.max(least, Math.min(most, offset));
    if (Math.abs(target - offset) <= TOLERANCE_MS) return;
    this.#offset = offset + Math.max(-step, Math.min(step, target - offset));
  }
}
