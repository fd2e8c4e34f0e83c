import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

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
    expect(() => parseDuration(duration)).toThrow('not a duration');
  });
});
