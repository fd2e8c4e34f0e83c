import { expect, it } from 'vitest';
import { lostInJson, refusedByJson } from './lost-in-json.ts';

const lost = (value: unknown) => {
  const found = lostInJson(value, JSON.stringify(value), 'input');
  return found === null ? null : `${found.path} is ${found.what}`;
};

it('finds functions and symbols, which JSON leaves out', () => {
  expect(lost({ a: 1, b: { c: () => 1 } })).toBe('input.b.c is a function');
  expect(lost({ list: [1, { on: Symbol('x') }] })).toBe('input.list[1].on is a symbol');
  expect(lost([1, () => 1])).toBe('input[1] is a function');
  expect(lost({ a: Number.NaN, b: () => 1 })).toBe('input.a is NaN');
});

it('accepts what JSON writes, also behind toJSON and more than once', () => {
  const shared = { a: [1] };
  for (const value of [
    { at: new Date(0), none: undefined, shared, again: shared },
    { order: { total: () => 1, toJSON: () => ({ total: 1 }) } },
    [null, {}, [], 'text', 1, true],
  ]) {
    expect(lost(value)).toBeNull();
  }
});

it('walks a deep value without a stack', () => {
  let deep: unknown = { on: () => 1 };
  for (let i = 0; i < 2_000; i++) deep = [deep];
  expect(lost(deep)).toMatch(/on is a function$/);
});

it('names the path of a BigInt and of a value that contains itself', () => {
  const order: Record<string, unknown> = { items: [{ price: 1 }] };
  (order['items'] as unknown[]).push({ order });
  expect(refusedByJson(order, 'input')).toMatchObject({
    path: 'input.items[1].order',
    what: 'a reference to a value that contains it',
  });
  expect(refusedByJson({ a: [{ b: 1n }] }, 'input')).toMatchObject({
    path: 'input.a[0].b',
    what: 'a BigInt',
  });
});
