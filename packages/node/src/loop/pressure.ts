import type { LoopSettings } from './ports.ts';

/**
 * What a slow or absent store does to scheduling. Slow: groups grow by themselves, because more
 * gathers while a commit is under way; if it lasts, P2 gets no new assignments. Away: nothing is
 * assigned and nothing is accepted that could not be stored (DUR-17, DUR-18).
 */
export class Pressure {
  readonly #settings: LoopSettings;
  #slowSinceMs: number | null = null;
  #committedAtMs = 0;
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
    this.#committedAtMs = nowMs;
    if (tookMs < this.#settings.slowCommitMs) this.#slowSinceMs = null;
    else this.#slowSinceMs ??= nowMs;
    return back;
  }

  /**
   * The first class that is paused; 3 for none. A verdict of slowness lapses when nothing has been
   * committed for a while: where only P2 is left, nothing would ever be committed again to show
   * that the store has become quick, and P2 would wait for ever.
   */
  pauseFrom(nowMs: number): 0 | 2 | 3 {
    if (this.#away || this.untrusted) return 0;
    const { slowForMs } = this.#settings;
    const slow = this.#slowSinceMs !== null && nowMs - this.#slowSinceMs >= slowForMs;
    return slow && nowMs - this.#committedAtMs < slowForMs ? 2 : 3;
  }
}
