import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { SortedList } from './sorted-list.ts';

const numbers = fc.array(fc.integer({ min: 0, max: 50 }));

function listOf(values: readonly number[]): SortedList<number> {
  const list = new SortedList<number>((a, b) => a - b);
  for (const value of values) list.insert(value);
  return list;
}

it('holds each value once, in order, and says whether it was new', () => {
  assertProperty(
    fc.property(numbers, fc.integer({ min: 0, max: 50 }), (values, value) => {
      const list = listOf(values);
      const expected = [...new Set(values)].sort((a, b) => a - b);
      expect(list.items).toEqual(expected);
      expect(list.find((item) => item - value)).toBe(expected.includes(value) ? value : undefined);
      expect(list.insert(value)).toBe(!expected.includes(value));
    }),
  );
});

it('removes a range, its end excluded, and keeps what a test admits', () => {
  assertProperty(
    fc.property(numbers, fc.integer({ min: 0, max: 50 }), fc.nat(50), (values, from, length) => {
      const list = listOf(values);
      const expected = list.items.filter((item) => item < from || item >= from + length);
      list.removeRange(
        (item) => item - from,
        (item) => item - (from + length),
      );
      expect(list.items).toEqual(expected);
      list.keep((item) => item % 2 === 0);
      expect(list.items).toEqual(expected.filter((item) => item % 2 === 0));
    }),
  );
});
