import { describe, expect, it } from 'vitest';
import type { Fact } from '../facts/facts.ts';
import { seededRandom } from '../model/random.ts';
import { DEFAULT_RETRY, SIMPLE_RETRY } from '../model/spec.ts';
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
