interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that moves only when told, and the timers on it. */
export class VirtualTime {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Calls back when that much time has passed; answers how to take it back. */
  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#nowMs + ms, order: this.#order++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass. All that is due happens in order; `settle` runs before time moves on. */
  async advance(ms: number, settle: () => Promise<void>): Promise<void> {
    const until = this.#nowMs + ms;
    await settle();
    for (let due = this.#takeDue(until); due.length > 0; due = this.#takeDue(until)) {
      for (const { callback } of due) callback();
      await settle();
    }
    // Another call may have moved it further meanwhile: time does not go back.
    this.#nowMs = Math.max(this.#nowMs, until);
  }

  /** The timers of the next instant that has any, not past `until`; the clock stands there then. */
  #takeDue(until: number): Timer[] {
    let at = Number.POSITIVE_INFINITY;
    for (const timer of this.#timers) at = Math.min(at, timer.at);
    if (at > until) return [];
    const due = [...this.#timers].filter((timer) => timer.at === at);
    for (const timer of due) this.#timers.delete(timer);
    this.#nowMs = Math.max(this.#nowMs, at);
    return due.sort((a, b) => a.order - b.order);
  }
}
