/** How far groups are durable, and who waits for more of them to be. */
export class DurableMark {
  #number = 0;
  #waiters: { number: number; resolve: () => void }[] = [];

  reached(number: number): Promise<void> {
    if (number <= this.#number) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ number, resolve }));
  }

  get isAwaited(): boolean {
    return this.#waiters.length > 0;
  }

  /** Told before anybody who waits is: what they then read must see it. */
  set(number: number): void {
    this.#number = number;
  }

  wake(): void {
    const due = this.#waiters.filter((waiter) => waiter.number <= this.#number);
    if (due.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.number > this.#number);
    for (const waiter of due) waiter.resolve();
  }

  /** Nothing more will be durable here: nobody is kept waiting. */
  releaseAll(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }
}
