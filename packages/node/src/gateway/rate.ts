/** So much per second, with a second's worth saved up; asking never waits, it only says no. */
export class Rate {
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = perSecond * BURST_SECONDS;
    this.#at = now();
  }

  take(amount: number): boolean {
    const now = this.#now();
    const gained = ((now - this.#at) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond * BURST_SECONDS, this.#left + gained);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}

const BURST_SECONDS = 2;
