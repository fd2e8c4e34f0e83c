/** A start that takes longer blocks the event loop. */
const START_MS = 5;
/** Many that are started together take a while to go on; what takes longer has been blocked. */
const PAUSE_MS = 250;
/** So much longer than it has blocked, a handler is not trusted: one acceptance in so many is late. */
const DISTRUST_FACTOR = 100;
/** Beyond this an acceptance may come too late for the node, which gives the task to another worker. */
const FORGIVEN_MS = 5_000;
const NOBODY: ReadonlySet<string> = new Set();

/**
 * Which handlers come to their end at once. Their attempts are accepted only if they have not ended
 * by then: an acceptance for every attempt of a short handler costs as much as its result.
 */
export class Briskness {
  /** Those that did not block the event loop when they were last started. */
  readonly #brisk = new Set<string>();
  /** Those that have blocked it later, behind their first wait, where a start does not show it. */
  readonly #distrustedUntil = new Map<string, number>();
  /** Those that have blocked in their start since the worker's own code ran last. */
  readonly #slow = new Set<string>();
  #started: ReadonlySet<string> = NOBODY;
  #startedAt = 0;

  is(executor: string): boolean {
    const until = this.#distrustedUntil.get(executor) ?? 0;
    return this.#brisk.has(executor) && performance.now() >= until;
  }

  /** One of them was started, which took so long. */
  started(executor: string, ms: number): void {
    if (ms >= START_MS) {
      this.#slow.add(executor);
      this.#brisk.delete(executor);
      this.#distrust(executor, ms);
    } else if (!this.#slow.has(executor)) this.#brisk.add(executor);
  }

  /** All of a message were started; what happens until `goneOn`, in the same turn, is theirs. */
  letGo(executors: ReadonlySet<string>): void {
    if (executors.size === 0) return;
    this.#started = executors;
    this.#startedAt = performance.now();
  }

  /** The worker's own code runs again, before it has started anything else. */
  goneOn(): void {
    this.#slow.clear();
    if (this.#started === NOBODY) return;
    const ms = performance.now() - this.#startedAt;
    for (const executor of this.#started) this.#distrust(executor, ms);
    this.#started = NOBODY;
  }

  #distrust(executor: string, ms: number): void {
    if (ms <= PAUSE_MS) return;
    const untilMs = performance.now() + (ms > FORGIVEN_MS ? Infinity : ms * DISTRUST_FACTOR);
    const before = this.#distrustedUntil.get(executor) ?? 0;
    this.#distrustedUntil.set(executor, Math.max(before, untilMs));
  }
}
