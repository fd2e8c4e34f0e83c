const MINUTE_MS = 60_000;
const NAMES_MAX = 10_000;

/** Failures by name and minute. Bounded: the oldest name is dropped before memory grows. */
export class FailureLimit {
  readonly #byName = new Map<string, { count: number; since: number }>();
  readonly #now: () => number;
  readonly #max: number;

  constructor(params: { now: () => number; max: number }) {
    this.#now = params.now;
    this.#max = params.max;
  }

  failed(name: string): void {
    const now = this.#now();
    const seen = this.#byName.get(name);
    if (seen !== undefined && now - seen.since < MINUTE_MS) {
      seen.count++;
      return;
    }
    this.#byName.delete(name);
    this.#byName.set(name, { count: 1, since: now });
    if (this.#byName.size <= NAMES_MAX) return;
    for (const oldest of this.#byName.keys()) {
      this.#byName.delete(oldest);
      break;
    }
  }

  /** Seconds until the name is below the limit again, or null if it is below it now. */
  waitSeconds(name: string): number | null {
    const seen = this.#byName.get(name);
    if (seen === undefined || seen.count < this.#max) return null;
    const leftMs = seen.since + MINUTE_MS - this.#now();
    return leftMs > 0 ? Math.ceil(leftMs / 1_000) : null;
  }
}
