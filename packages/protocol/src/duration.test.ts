import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DURATION_PATTERN, durationMs, formatDuration, parseDuration } from './duration.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['7d', 604_800_000],
    ['1y', 31_536_000_000],
    [42, 42],
  ])('%s is %d ms', (duration, ms) => {
    expect(parseDuration(duration)).toBe(ms);
  });

  it.each(['', '5', 'm', '5 m', '5x', '-5m', '5m!', -1, Number.NaN])('%s is none', (duration) => {
    expect(() => parseDuration(duration)).toThrow('invalid duration');
  });

  it('are written so that they read back as the same', () => {
    fc.assert(
      fc.property(fc.nat({ max: 400 * 86_400_000 }), (ms) => {
        const text = formatDuration(ms);
        expect(parseDuration(text)).toBe(ms);
        expect(text).toMatch(new RegExp(DURATION_PATTERN));
      }),
    );
    expect([0, 500, 90_000, 5_400_000, 31_536_000_000].map(formatDuration)).toEqual([
      ...['0s', '500ms', '1m30s', '1h30m', '365d'],
    ]);
  });

  it('are what the pattern of the schemas takes, and nothing else', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789.msdhy -') }),
      fc.nat().map((ms) => formatDuration(ms)),
    );
    fc.assert(
      fc.property(text, (each) => {
        fc.pre(each.length <= 64);
        expect(durationMs(each) !== null).toBe(new RegExp(DURATION_PATTERN).test(each));
      }),
    );
  });
});
