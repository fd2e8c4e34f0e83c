import type { EngineSettings } from '../settings.ts';

/** Grants at most `limit` times per period; what is too much is moved to a later period, never dropped. */
export class PeriodBudget {
  readonly #periodMs: number;
  readonly #limit: number;
  readonly #granted = new Map<number, number>();
  /** Full periods, each with a later one before which nothing has room. */
  readonly #skipTo = new Map<number, number>();

  constructor(periodMs: number, limit: number) {
    this.#periodMs = periodMs;
    this.#limit = limit;
  }

  /** The earliest time not before `at` that still has room. */
  earliest(at: number): number {
    const period = this.#openFrom(Math.floor(at / this.#periodMs));
    return Math.max(at, period * this.#periodMs);
  }

  grant(at: number): void {
    const period = Math.floor(at / this.#periodMs);
    const count = (this.#granted.get(period) ?? 0) + 1;
    this.#granted.set(period, count);
    if (count >= this.#limit) this.#skipTo.set(period, period + 1);
  }

  /** Forgets periods that are over. */
  forgetBefore(now: number): void {
    const current = Math.floor(now / this.#periodMs);
    for (const periods of [this.#granted, this.#skipTo]) {
      for (const period of periods.keys()) if (period < current) periods.delete(period);
    }
  }

  get isEmpty(): boolean {
    return this.#granted.size === 0;
  }

  /** Follows the full periods to one with room, and shortens the way for the next who asks. */
  #openFrom(start: number): number {
    const skipTo = this.#skipTo;
    let open = start;
    for (let to = skipTo.get(open); to !== undefined; to = skipTo.get(open)) open = to;
    for (let at = start; at !== open; ) {
      const to = skipTo.get(at) as number;
      skipTo.set(at, open);
      at = to;
    }
    return open;
  }
}

/**
 * FLT-07: a mass failure must not come back as a mass retry. A retry waits for its back-off and
 * then for room in three budgets: all retries, those with the same reason, those of the same job.
 */
export class RetryBudget {
  readonly #settings: EngineSettings;
  readonly #all: PeriodBudget;
  readonly #byReason = new Map<string, PeriodBudget>();
  readonly #byJob = new Map<string, PeriodBudget>();
  #forgotAt = 0;

  constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#all = new PeriodBudget(1_000, settings.retriesPerSecond);
  }

  /** Reserves a time for a retry that is due at `at`, and answers it. */
  reserve(params: { at: number; now: number; reason: string; job: string }): number {
    this.#forget(params.now);
    const reason = ensure(this.#byReason, params.reason, () => {
      return new PeriodBudget(1_000, this.#settings.retriesPerSecondPerReason);
    });
    const job = ensure(this.#byJob, params.job, () => {
      return new PeriodBudget(60_000, this.#settings.retriesPerMinutePerJob);
    });
    let at = params.at;
    for (;;) {
      const next = job.earliest(reason.earliest(this.#all.earliest(at)));
      if (next === at) break;
      at = next;
    }
    this.#all.grant(at);
    reason.grant(at);
    job.grant(at);
    return at;
  }

  #forget(now: number): void {
    if (now - this.#forgotAt < 60_000) return;
    this.#forgotAt = now;
    this.#all.forgetBefore(now);
    for (const budget of this.#byReason.values()) budget.forgetBefore(now);
    for (const [job, budget] of this.#byJob) {
      budget.forgetBefore(now);
      if (budget.isEmpty) this.#byJob.delete(job);
    }
  }
}

function ensure<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
