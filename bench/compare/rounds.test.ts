import { expect, it } from 'vitest';
import { rotated } from './rounds.ts';

it('begins each round with another system and leaves none out', () => {
  const systems = ['a', 'b', 'c'];
  const rounds = [0, 1, 2].map((round) => rotated(systems, round, 3));
  expect(rounds).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
  ]);
});
