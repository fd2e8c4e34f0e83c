import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRIES, mayRepeat, parseRetryAfter, pauseBefore } from './retry-policy.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('repeating', () => {
  it('is for what was not done, and for what may be done twice', () => {
    for (const status of [200, 400, 401, 403, 404, 409, 412, 413, 422, 500]) {
      expect(mayRepeat(status, true), `${status}`).toBe(false);
    }
    for (const status of [408, 502, 503, 504]) {
      expect([mayRepeat(status, true), mayRepeat(status, false)]).toEqual([true, false]);
    }
    expect(mayRepeat(429, false)).toBe(true);
  });

  it('waits longer each time, spread, and never less than it was told', () => {
    const pause = (failures: number, retryAfterMs?: number) =>
      pauseBefore({ settings: DEFAULT_RETRIES, failures, retryAfterMs });
    for (let failures = 1; failures < 12; failures++) {
      const full = Math.min(5_000, 100 * 2 ** (failures - 1));
      expect(pause(failures)).toBeGreaterThanOrEqual(full / 2);
      expect(pause(failures)).toBeLessThanOrEqual(full);
    }
    expect(pause(1, 3_000)).toBe(3_000);
    expect(pause(1, 3_600_000)).toBeNull();
  });

  it('reads seconds and dates', () => {
    expect(parseRetryAfter('2', NOW)).toBe(2_000);
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:05 GMT', NOW)).toBe(5_000);
    expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', NOW)).toBe(0);
    expect(parseRetryAfter('soon', NOW)).toBeUndefined();
    expect(parseRetryAfter(undefined, NOW)).toBeUndefined();
  });
});
