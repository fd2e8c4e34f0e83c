/** Lets a producer go on only while what is submitted and not done stays within the cap. */
export class BackPressure {
  readonly #cap: number;
  #done: number;
  #submitted: number;
  #isHalted = false;
  #waiting: (() => void)[] = [];

  constructor({ cap, submitted, done }: { cap: number; submitted: number; done: number }) {
    this.#cap = cap;
    this.#submitted = submitted;
    this.#done = done;
  }

  get submitted(): number {
    return this.#submitted;
  }

  /** Reserves room for `count` more; the first free id, or null after `halt`. */
  async take(count: number): Promise<number | null> {
    while (!this.#isHalted && this.#submitted + count - this.#done > this.#cap) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#isHalted) return null;
    const first = this.#submitted;
    this.#submitted += count;
    return first;
  }

  done(n: number): void {
    this.#done = n;
    this.#wake();
  }

  halt(): void {
    this.#isHalted = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
