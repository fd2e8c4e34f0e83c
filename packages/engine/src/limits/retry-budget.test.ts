import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { PeriodBudget, RetryBudget } from './retry-budget.ts';

const start = 1_750_000_000_000;

/** What the budget must be: a count for every period, and a search from the asked one onwards. */
class NaiveBudget {
  readonly counts = new Map<number, number>();
  readonly #periodMs: number;
  readonly #limit: number;

  constructor(periodMs: number, limit: number) {
    this.#periodMs = periodMs;
    this.#limit = limit;
  }

  earliest(at: number): number {
    let period = Math.floor(at / this.#periodMs);
    while ((this.counts.get(period) ?? 0) >= this.#limit) period++;
    return Math.max(at, period * this.#periodMs);
  }

  grant(at: number): void {
    const period = Math.floor(at / this.#periodMs);
    this.counts.set(period, (this.counts.get(period) ?? 0) + 1);
  }
}

describe('PeriodBudget', () => {
  const asked = fc.array(
    fc.record({
      at: fc.oneof(fc.integer({ min: 0, max: 8_000 }), fc.integer({ min: 20_000, max: 24_000 })),
      /** Now and then the past is forgotten. */
      forget: fc.boolean(),
    }),
    { maxLength: 80, size: 'max' },
  );

  it('answers the earliest time with room, and never grants a period more than its limit', () => {
    assertProperty(
      fc.property(asked, fc.integer({ min: 1, max: 5 }), (list, limit) => {
        const budget = new PeriodBudget(1_000, limit);
        const model = new NaiveBudget(1_000, limit);
        let now = start;
        for (const { at, forget } of list) {
          if (forget) {
            now += 100;
            budget.forgetBefore(now);
          }
          const wanted = Math.max(now, start + at);
          const time = budget.earliest(wanted);
          expect(time).toBe(model.earliest(wanted));
          budget.grant(time);
          model.grant(time);
        }
        for (const count of model.counts.values()) expect(count).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 150 },
    );
  });

  it('does not send a near retry behind a far period that happens to be full', () => {
    const budget = new PeriodBudget(1_000, 1);
    budget.grant(start + 3_600_000);
    budget.grant(start);
    expect(budget.earliest(start)).toBe(start + 1_000);
  });

  it('finds room behind a long run of full periods at once', () => {
    const budget = new PeriodBudget(1_000, 1);
    for (let i = 0; i < 5_000; i++) {
      const at = budget.earliest(start);
      expect(at).toBe(start + i * 1_000);
      budget.grant(at);
    }
  });

  it('keeps nothing of periods that are over', () => {
    const budget = new PeriodBudget(1_000, 1);
    for (let i = 0; i < 10; i++) budget.grant(budget.earliest(start));
    budget.forgetBefore(start + 5_000);
    expect(budget.isEmpty).toBe(false);
    budget.forgetBefore(start + 10_000);
    expect(budget.isEmpty).toBe(true);
  });
});

describe('RetryBudget', () => {
  const settings = {
    ...DEFAULT_SETTINGS,
    retriesPerSecond: 6,
    retriesPerSecondPerReason: 4,
    retriesPerMinutePerJob: 10,
  };
  const requests = fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 0, 0, 10, 700, 20_000),
      delayMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 90_000 })),
      reason: fc.constantFrom('transient', 'timeout', 'worker_lost'),
      job: fc.constantFrom('acme/a', 'acme/b', 'acme/c', 'acme/d'),
    }),
    { maxLength: 120, size: 'max' },
  );

  it('keeps every limit, drops nothing and brings nothing forward', () => {
    assertProperty(
      fc.property(requests, (list) => {
        const budget = new RetryBudget(settings);
        const granted = new Map<string, number>();
        let now = start;
        for (const { afterMs, delayMs, reason, job } of list) {
          now += afterMs;
          const at = budget.reserve({ at: now + delayMs, now, reason, job });
          expect(at).toBeGreaterThanOrEqual(now + delayMs);
          expect(Number.isFinite(at)).toBe(true);
          const second = Math.floor(at / 1_000);
          const keys = [
            `all ${second}`,
            `${reason} ${second}`,
            `${job} ${Math.floor(at / 60_000)}`,
          ];
          for (const key of keys) granted.set(key, (granted.get(key) ?? 0) + 1);
        }
        for (const [key, count] of granted) {
          const limit = key.startsWith('all') ? 6 : key.startsWith('acme') ? 10 : 4;
          expect(count, key).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('a busy job does not delay the retries of another', () => {
    const budget = new RetryBudget(DEFAULT_SETTINGS);
    const ask = (job: string, reason: string) =>
      budget.reserve({ at: start, now: start, reason, job });
    for (let i = 0; i < 1_000; i++) ask('acme/busy', 'transient');
    expect(ask('acme/busy', 'transient') - start).toBeGreaterThan(500_000);
    expect(ask('acme/quiet', 'timeout')).toBe(start);
  });
});
