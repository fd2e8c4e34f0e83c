import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { Deque } from './deque.ts';

/** A positive number pushes so many, a negative one shifts so many, zero drops the odd ones. */
const ops = fc.array(fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.constant(0)), {
  maxLength: 30,
  size: 'max',
});

describe('Deque', () => {
  it('is an array that is taken from the front', () => {
    assertProperty(
      fc.property(ops, (list) => {
        const deque = new Deque<number>();
        let model: number[] = [];
        let next = 1;
        for (const op of list) {
          for (let i = 0; i < op; i++) {
            deque.push(next);
            model.push(next++);
          }
          const shifted: (number | undefined)[] = [];
          for (let i = 0; i < -op; i++) shifted.push(deque.shift());
          const expected = model.splice(0, Math.max(0, -op));
          expect(shifted.slice(0, expected.length)).toEqual(expected);
          expect(shifted.slice(expected.length).every((item) => item === undefined)).toBe(true);
          if (op === 0) {
            deque.retain((item) => item % 2 === 0);
            model = model.filter((item) => item % 2 === 0);
          }
          expect(deque.size).toBe(model.length);
          expect(deque.peek()).toBe(model[0]);
        }
        expect([...deque]).toEqual(model);
      }),
      { numRuns: 30 },
    );
  });
});
