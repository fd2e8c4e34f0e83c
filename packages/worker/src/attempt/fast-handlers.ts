/** A start that takes longer blocks the event loop. */
const START_MS = 5;
/** Handlers that are started together take a while to reach their first wait; longer means blocked. */
const PAUSE_MS = 250;
/** After blocking the event loop for t ms, a handler counts as slow for 100·t ms. */
const SLOW_FACTOR = 100;
/** An acceptance that is this late may reach the node after it has reassigned the task. */
const TOLERATED_MS = 5_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * The handlers that usually end within one turn of the event loop. Their attempts are accepted one turn
 * later, if they have not ended by then: an `accept` for each short attempt costs as much as its result.
 */
export class FastHandlers {
  /** Did not block the event loop when last started. */
  readonly #fast = new Set<string>();
  /** Blocked it after their first wait, which the duration of the start does not show. */
  readonly #slowUntil = new Map<string, number>();
  /** Blocked it in their start, in this turn. */
  readonly #slowStarts = new Set<string>();
  #running: ReadonlySet<string> = NONE;
  #runningSince = 0;

  has(executor: string): boolean {
    const until = this.#slowUntil.get(executor) ?? 0;
    return this.#fast.has(executor) && performance.now() >= until;
  }

  /** One attempt was started; `ms` is how long the call took. */
  started(executor: string, ms: number): void {
    if (ms >= START_MS) {
      this.#slowStarts.add(executor);
      this.#fast.delete(executor);
      this.#blocked(executor, ms);
    } else if (!this.#slowStarts.has(executor)) this.#fast.add(executor);
  }

  /** All attempts of a message were started; the time until `turnEnded` is charged to these executors. */
  turnStarted(executors: ReadonlySet<string>): void {
    if (executors.size === 0) return;
    this.#running = executors;
    this.#runningSince = performance.now();
  }

  /** The worker's own code runs again and has not yet started anything else. */
  turnEnded(): void {
    this.#slowStarts.clear();
    if (this.#running === NONE) return;
    const ms = performance.now() - this.#runningSince;
    for (const executor of this.#running) this.#blocked(executor, ms);
    this.#running = NONE;
  }

  #blocked(executor: string, ms: number): void {
    if (ms <= PAUSE_MS) return;
    const until = performance.now() + (ms > TOLERATED_MS ? Infinity : ms * SLOW_FACTOR);
    this.#slowUntil.set(executor, Math.max(this.#slowUntil.get(executor) ?? 0, until));
  }
}
