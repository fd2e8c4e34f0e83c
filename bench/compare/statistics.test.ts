import { describe, expect, it } from 'vitest';
import { median, quantile, spreadOf } from './statistics.ts';

describe('statistics of rounds', () => {
  it('takes the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('keeps the range beside the median and leaves the list as it was', () => {
    const values = [3, 1, 2];
    expect(spreadOf(values)).toEqual({ median: 2, min: 1, max: 3, count: 3 });
    expect(values).toEqual([3, 1, 2]);
  });

  it('gives the value that a share of all does not exceed', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile(values, 1)).toBe(100);
    expect(quantile([7], 0.99)).toBe(7);
  });
});
