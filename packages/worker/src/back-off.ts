const FIRST_MS = 100;
const LAST_MS = 5_000;
const MANY = 10;

/**
 * Waits between tries, for ever: doubled up to five seconds, and spread, so that a fleet that lost
 * its node together does not come back together.
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

  /** From the longest wait on: coming back quickly would only be turned away again. */
  slow(): void {
    this.#tries = MANY;
  }
}
