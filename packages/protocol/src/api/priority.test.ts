import { expect, it } from 'vitest';
import { priorityName } from './priority.ts';

it('PRI-03 numbers from 1 to 10 stand for a priority, 10 for the most urgent', () => {
  const names = Array.from({ length: 10 }, (_, i) => priorityName(i + 1));
  expect(names).toEqual(['P2', 'P2', 'P2', 'P1', 'P1', 'P1', 'P1', 'P0', 'P0', 'P0']);
});

it.each(['P0', 'P1', 'P2'])('%s stands for itself', (name) => {
  expect(priorityName(name)).toBe(name);
});

it.each([0, 11, -1, 1.5, Number.NaN, '8', 'P3', '', null, undefined, {}])(
  '%s is no priority',
  (value) => {
    expect(priorityName(value)).toBeNull();
  },
);
