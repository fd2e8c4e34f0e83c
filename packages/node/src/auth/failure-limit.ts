const FAILURES_MAX = 10;
const MINUTE_MS = 60_000;
const ADDRESSES_MAX = 10_000;

/** Wrong keys per address and minute. Bounded: the oldest address is forgotten before memory grows. */
export class FailureLimit {
  readonly #byAddress = new Map<string, { count: number; since: number }>();
  readonly #now: () => number;
  readonly #max: number;

  constructor(params: { now: () => number; max?: number }) {
    this.#now = params.now;
    this.#max = params.max ?? FAILURES_MAX;
  }

  failed(address: string): void {
    const now = this.#now();
    const seen = this.#byAddress.get(address);
    if (seen !== undefined && now - seen.since < MINUTE_MS) {
      seen.count++;
      return;
    }
    this.#byAddress.delete(address);
    this.#byAddress.set(address, { count: 1, since: now });
    if (this.#byAddress.size <= ADDRESSES_MAX) return;
    for (const oldest of this.#byAddress.keys()) {
      this.#byAddress.delete(oldest);
      break;
    }
  }

  /** Seconds until the address may fail again, or null while it still may. */
  waitSeconds(address: string): number | null {
    const seen = this.#byAddress.get(address);
    if (seen === undefined || seen.count < this.#max) return null;
    const leftMs = seen.since + MINUTE_MS - this.#now();
    return leftMs > 0 ? Math.ceil(leftMs / 1_000) : null;
  }
}
