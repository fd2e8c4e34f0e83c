const SECONDS = 60;

/** How many per second over the last minute, in one slot for each second. */
export class DispatchRate {
  readonly #counts = new Array<number>(SECONDS).fill(0);
  readonly #now: () => number;
  readonly #startedAt: number;
  #second: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = Math.floor(now() / 1_000);
    this.#second = this.#startedAt;
  }

  add(count: number): void {
    this.#moveOn();
    const at = this.#second % SECONDS;
    this.#counts[at] = (this.#counts[at] as number) + count;
  }

  perSecond(): number {
    this.#moveOn();
    const lived = Math.min(SECONDS, this.#second - this.#startedAt + 1);
    return this.#counts.reduce((sum, count) => sum + count, 0) / lived;
  }

  #moveOn(): void {
    const second = Math.floor(this.#now() / 1_000);
    const steps = Math.min(SECONDS, second - this.#second);
    for (let i = 1; i <= steps; i++) this.#counts[(this.#second + i) % SECONDS] = 0;
    this.#second = Math.max(this.#second, second);
  }
}
