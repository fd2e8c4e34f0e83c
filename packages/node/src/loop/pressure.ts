import type { LoopSettings } from './ports.ts';

/**
 * What a slow or absent store does to scheduling. Slow: groups grow by themselves, because more
 * gathers while a commit is under way; if it lasts, P2 gets no new assignments. Away: nothing is
 * assigned and nothing is accepted that could not be stored (DUR-17, DUR-18).
 */
export class Pressure {
  readonly #settings: LoopSettings;
  #slowSinceMs: number | null = null;
  #away = false;
  /** Leases that cannot be relied on pause everything as well. */
  untrusted = false;

  constructor(settings: LoopSettings) {
    this.#settings = settings;
  }

  get away(): boolean {
    return this.#away;
  }

  /** Answers true when this is news. */
  storeFailed(): boolean {
    const news = !this.#away;
    this.#away = true;
    return news;
  }

  /** The store has answered something. Says nothing about how fast it commits. */
  reached(): boolean {
    const back = this.#away;
    this.#away = false;
    return back;
  }

  committed(tookMs: number, nowMs: number): boolean {
    const back = this.reached();
    if (tookMs < this.#settings.slowCommitMs) this.#slowSinceMs = null;
    else this.#slowSinceMs ??= nowMs;
    return back;
  }

  /** The first class that is paused; 3 for none. */
  pauseFrom(nowMs: number): 0 | 2 | 3 {
    if (this.#away || this.untrusted) return 0;
    const slow =
      this.#slowSinceMs !== null && nowMs - this.#slowSinceMs >= this.#settings.slowForMs;
    return slow ? 2 : 3;
  }
}
