import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Ref } from './frames.ts';
import { RefMap } from './ref-map.ts';

const small = fc.nat(2);
const seq = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 40 + 1, 2 ** 53 - 1));
const ref = fc.tuple(small, seq, small, small, small, small) as fc.Arbitrary<Ref>;
const step = fc.record({ what: fc.constantFrom('set', 'delete', 'get', 'clear'), ref });

describe('a map by reference', () => {
  it('is one by all six numbers, whatever happens to it', async () => {
    await assertProperty(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const map = new RefMap<number>();
        const model = new Map<string, number>();
        for (const [i, { what, ref }] of steps.entries()) {
          const key = ref.join();
          if (what === 'set') {
            map.set(ref, i);
            model.set(key, i);
          } else if (what === 'delete') {
            expect(map.delete(ref)).toBe(model.get(key));
            model.delete(key);
          } else if (what === 'get') expect(map.get(ref)).toBe(model.get(key));
          else if (i % 7 === 0) {
            map.clear();
            model.clear();
          }
          expect(map.size).toBe(model.size);
        }
        expect([...map.values()].sort()).toEqual([...model.values()].sort());
      }),
    );
  });
});
