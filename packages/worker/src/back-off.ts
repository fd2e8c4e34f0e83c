const FIRST_MS = 100;
const LAST_MS = 5_000;
const MANY = 10;

/**
 * Delays between tries, without an end: doubled up to five seconds, with jitter, so that workers that lost a
 * node at the same time do not reconnect at the same time.
 */
export class BackOff {
  #tries = 0;
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  nextMs(): number {
    const ceiling = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(this.#tries, MANY));
    this.#tries += 1;
    return FIRST_MS + this.#random() * (ceiling - FIRST_MS);
  }

  reset(): void {
    this.#tries = 0;
  }

  /** Continues with the longest delay: a quick retry would only be rejected again. */
  slow(): void {
    this.#tries = MANY;
  }
}
