import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../facts/facts.ts';
import { seededRandom } from '../model/random.ts';
import { type BackOff, DEFAULT_RETRY, SIMPLE_RETRY } from '../model/spec.ts';
import { Harness } from '../testing/harness.ts';
import { backOffMs } from './back-off.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** As the requirement says them: after the nth charged failure, not before and not after. */
const BANDS = [
  [3 * SECOND, 7 * SECOND],
  [20 * SECOND, 40 * SECOND],
  [4 * MINUTE, 6 * MINUTE],
  [24 * MINUTE, 36 * MINUTE],
  [96 * MINUTE, 144 * MINUTE],
] as const;

describe('backOffMs', () => {
  it.each(BANDS.map((band, i) => [i + 1, ...band] as const))(
    'FLT-04 FLT-05 after failure %i waits between %i and %i ms, spread over all of it',
    (failures, least, most) => {
      const random = seededRandom(failures);
      const delays = Array.from({ length: 10_000 }, () =>
        backOffMs(DEFAULT_RETRY, failures, random),
      );
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...delays)).toBeLessThanOrEqual(most);
      const tenth = (most - least) / 10;
      for (let i = 0; i < 10; i++) {
        const from = least + i * tenth;
        const count = delays.filter((delay) => delay >= from && delay < from + tenth).length;
        expect(count).toBeGreaterThan(800);
        expect(count).toBeLessThan(1_200);
      }
    },
  );

  it('FLT-05 goes on with the longest band', () => {
    const random = seededRandom(1);
    for (let failures = 6; failures < 20; failures++) {
      const delay = backOffMs(DEFAULT_RETRY, failures, random);
      expect(delay).toBeGreaterThanOrEqual(96 * MINUTE);
      expect(delay).toBeLessThanOrEqual(144 * MINUTE);
    }
  });

  it('FLT-14 is always the same in the simple mode', () => {
    const random = seededRandom(1);
    for (const failures of [1, 2, 3]) expect(backOffMs(SIMPLE_RETRY, failures, random)).toBe(5_000);
  });
});

describe('backOffMs of a shape that a job gives', () => {
  const shaped = (backOff: BackOff) => ({ ...DEFAULT_RETRY, backOff });
  const exponential = fc.record({
    kind: fc.constant('exponential' as const),
    delayMs: fc.nat({ max: 3_600_000 }),
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    maxDelayMs: fc.nat({ max: 86_400_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  it('FLT-04 an exponential one stays between its part without jitter and the longest delay', () => {
    fc.assert(
      fc.property(exponential, fc.integer({ min: 1, max: 1_000 }), fc.nat(), (shape, n, seed) => {
        const delay = backOffMs(shaped(shape), n, seededRandom(seed));
        const { delayMs, factor, maxDelayMs, jitter } = shape;
        const grown = delayMs === 0 ? 0 : Math.min(delayMs * factor ** (n - 1), maxDelayMs);
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeLessThanOrEqual(Math.round(grown));
        expect(delay).toBeGreaterThanOrEqual(Math.floor(grown * (1 - jitter)));
      }),
    );
  });

  it('FLT-04 an exponential one without jitter grows by its factor and never shrinks', () => {
    fc.assert(
      fc.property(exponential, (shape) => {
        const random = seededRandom(1);
        const delays = Array.from({ length: 50 }, (_, i) =>
          backOffMs(shaped({ ...shape, jitter: 0 }), i + 1, random),
        );
        expect(delays).toEqual(delays.toSorted((a, b) => a - b));
        expect(delays[0]).toBe(Math.min(shape.delayMs, shape.maxDelayMs));
      }),
    );
    const doubled = { delayMs: 1_000, factor: 2, maxDelayMs: 5_000, jitter: 0 };
    const policy = shaped({ kind: 'exponential', ...doubled });
    const told = [1, 2, 3, 4, 5].map((n) => backOffMs(policy, n, seededRandom(1)));
    expect(told).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('FLT-04 jitter spreads over all of its part', () => {
    const shape = { delayMs: 10_000, factor: 1, maxDelayMs: 10_000, jitter: 0.5 };
    const random = seededRandom(7);
    const delays = Array.from({ length: 10_000 }, () =>
      backOffMs(shaped({ kind: 'exponential', ...shape }), 1, random),
    );
    for (let from = 5_000; from < 10_000; from += 500) {
      const count = delays.filter((delay) => delay >= from && delay < from + 500).length;
      expect(count).toBeGreaterThan(800);
      expect(count).toBeLessThan(1_200);
    }
  });

  it('FLT-04 a list gives its delays in order, and the last of them again and again', () => {
    const delays = fc.array(fc.nat({ max: 86_400_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(delays, fc.integer({ min: 1, max: 100 }), (delaysMs, n) => {
        const delay = backOffMs(shaped({ kind: 'list', delaysMs }), n, seededRandom(1));
        expect(delay).toBe(delaysMs[n - 1] ?? delaysMs.at(-1));
      }),
    );
  });
});

describe('an engine', () => {
  const retries = (facts: readonly Fact[]) => facts.filter((fact) => fact.kind === 'taskRetryAt');

  it('FLT-04 FLT-05 holds a task back for its band and starts it then, not before', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ retry: { attemptsMax: 7 } });
    for (const [least, most] of BANDS) {
      for (const attempt of h.acceptAll()) h.fail(attempt);
      h.flush();
      const failedAt = h.now;
      const { dueAt } = retries(h.facts).at(-1) as { dueAt: number };
      expect(dueAt - failedAt).toBeGreaterThanOrEqual(least);
      expect(dueAt - failedAt).toBeLessThanOrEqual(most);
      h.advance(dueAt - failedAt - 1);
      expect(run.tasks[0]?.state).toBe('PENDING');
      h.advance(1);
      expect(run.tasks[0]?.attempt?.assignedAt).toBe(dueAt);
    }
  });

  it('FLT-04 tries again after the delays that the job lists', () => {
    const h = new Harness();
    h.addWorker();
    h.submit({ retry: { attemptsMax: 4, backOff: { kind: 'list', delaysMs: [7, 11] } } });
    for (const delayMs of [7, 11, 11]) {
      for (const attempt of h.acceptAll()) h.fail(attempt);
      h.flush();
      expect(retries(h.facts).at(-1)).toMatchObject({ dueAt: h.now + delayMs });
      h.advance(delayMs);
    }
  });

  it('FLT-04 waits longer where the answer said so, never shorter', () => {
    const h = new Harness();
    h.addWorker();
    h.submit();
    for (const attempt of h.acceptAll()) h.fail(attempt, { retryAfterMs: 90_000 });
    h.flush();
    expect(retries(h.facts)).toMatchObject([{ dueAt: h.now + 90_000 }]);
    h.advance(90_000);
    for (const attempt of h.acceptAll()) h.fail(attempt, { retryAfterMs: 1 });
    h.flush();
    const { dueAt } = retries(h.facts).at(-1) as { dueAt: number };
    expect(dueAt).toBeGreaterThanOrEqual(h.now + 20 * SECOND);
  });

  it('FLT-04 spreads ten thousand failures of one moment over minutes, and drops none', () => {
    const h = new Harness({ settings: { queueWindow: 20_000 } });
    h.addWorker({ total: { slots: 10_000 } });
    for (let i = 0; i < 10_000; i++) h.submit();
    for (const attempt of h.acceptAll()) h.fail(attempt);
    h.flush();
    const dueTimes = retries(h.facts).map((fact) => (fact as { dueAt: number }).dueAt);
    expect(dueTimes).toHaveLength(10_000);
    const perMinute = new Map<number, number>();
    for (const at of dueTimes) {
      const minute = Math.floor(at / MINUTE);
      perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    }
    expect(Math.max(...perMinute.values())).toBeLessThanOrEqual(100);
    expect(perMinute.size).toBeGreaterThanOrEqual(100);
    expect(Math.max(...dueTimes) - h.now).toBeLessThan(110 * MINUTE);
  });
});
