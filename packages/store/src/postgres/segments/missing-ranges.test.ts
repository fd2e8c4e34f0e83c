import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../../tools/testing/property.ts';
import { missingRanges, type Range } from './missing-ranges.ts';

describe('missingRanges', () => {
  it('makes whole pieces of the grid where nothing is there', () => {
    const made = missingRanges({ existing: [], first: 25, last: 41, width: 10 });
    expect(made).toEqual([
      { from: 20, to: 30 },
      { from: 30, to: 40 },
      { from: 40, to: 50 },
    ]);
  });

  it('covers every point and overlaps nothing, whatever is there', () => {
    const there = fc.array(fc.tuple(fc.nat(80), fc.integer({ min: 1, max: 9 })), { maxLength: 6 });
    const wanted = fc.record({
      first: fc.nat(90),
      length: fc.nat(30),
      width: fc.integer({ min: 1, max: 20 }),
    });
    assertProperty(
      fc.property(there, wanted, (pieces, { first, length, width }) => {
        const existing: Range[] = [];
        for (const [from, size] of pieces) {
          const range = { from, to: from + size };
          if (existing.every(({ from, to }) => to <= range.from || range.to <= from)) {
            existing.push(range);
          }
        }
        const last = first + length;
        const made = missingRanges({ existing, first, last, width });
        const all = [...existing, ...made].sort((a, b) => a.from - b.from);
        for (const [i, { from, to }] of all.entries()) {
          expect(to).toBeGreaterThan(from);
          expect(from).toBeGreaterThanOrEqual(all[i - 1]?.to ?? 0);
        }
        for (let at = first; at <= last; at++) {
          expect(all.some(({ from, to }) => from <= at && at < to)).toBe(true);
        }
      }),
    );
  });
});
