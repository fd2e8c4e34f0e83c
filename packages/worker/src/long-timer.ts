/** The longest delay of a timer in Node.js; with a longer one it fires after a millisecond. */
const STEP_MS_MAX = 2 ** 31 - 1;

/** A timer for any delay: a grace period may be longer than the limit of Node.js. */
export class LongTimer {
  readonly #callback: () => void;
  readonly #dueAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(callback: () => void, ms: number) {
    this.#callback = callback;
    this.#dueAt = performance.now() + ms;
    this.#arm(ms);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number): void {
    if (ms > STEP_MS_MAX) {
      this.#timer = setTimeout(() => this.#arm(this.#dueAt - performance.now()), STEP_MS_MAX);
    } else this.#timer = setTimeout(this.#callback, ms);
  }
}
