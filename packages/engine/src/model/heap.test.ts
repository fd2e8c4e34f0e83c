import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { Heap, type HeapItem } from './heap.ts';

interface Item extends HeapItem {
  key: number;
  readonly id: number;
}

/** Keys collide often; the id makes the order strict. */
const before = (a: Item, b: Item): boolean => a.key < b.key || (a.key === b.key && a.id < b.id);
const sorted = (items: Iterable<Item>): Item[] =>
  [...items].sort((a, b) => (before(a, b) ? -1 : 1));
const keys = fc.integer({ min: 0, max: 20 });

type Op =
  | { readonly kind: 'push'; readonly key: number }
  | { readonly kind: 'pop' }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'update'; readonly at: number; readonly key: number }
  | { readonly kind: 'rebuild'; readonly keys: readonly number[] };

const ops: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('push' as const), key: keys }) },
  fc.record({ kind: fc.constant('pop' as const) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(100) }),
  fc.record({ kind: fc.constant('update' as const), at: fc.nat(100), key: keys }),
  fc.record({
    kind: fc.constant('rebuild' as const),
    keys: fc.array(keys, { maxLength: 20, size: 'max' }),
  }),
);

describe('Heap', () => {
  it('is a sorted list that items may leave and in which their keys may change', () => {
    assertProperty(
      fc.property(fc.array(ops, { maxLength: 120, size: 'max' }), (list) => {
        const heap = new Heap<Item>(before);
        const model = new Set<Item>();
        for (const [id, op] of list.entries()) {
          run({ heap, model, op, id });
          expect(heap.size).toBe(model.size);
          expect(heap.peek()).toBe(sorted(model)[0]);
          for (const [index, item] of heap.values().entries()) expect(item.heapIndex).toBe(index);
        }
        const rest = sorted(model);
        expect(rest.map(() => heap.pop())).toEqual(rest);
        expect(heap.pop()).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

function run({ heap, model, op, id }: { heap: Heap<Item>; model: Set<Item>; op: Op; id: number }) {
  const pick = (at: number): Item | undefined => [...model][at % Math.max(1, model.size)];
  switch (op.kind) {
    case 'push': {
      const item = { key: op.key, id, heapIndex: -1 };
      model.add(item);
      heap.push(item);
      return;
    }
    case 'pop': {
      const least = sorted(model)[0];
      expect(heap.pop()).toBe(least);
      if (least !== undefined) model.delete(least);
      return;
    }
    case 'remove': {
      const item = pick(op.at);
      if (item === undefined) return;
      heap.remove(item);
      model.delete(item);
      expect(item.heapIndex).toBe(-1);
      return;
    }
    case 'update': {
      const item = pick(op.at);
      if (item === undefined) return;
      item.key = op.key;
      heap.update(item);
      return;
    }
    case 'rebuild':
      for (const [i, item] of [...model].entries()) item.key = op.keys[i] ?? item.key;
      heap.rebuild();
  }
}
