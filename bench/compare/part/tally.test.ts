import { expect, it } from 'vitest';
import { payload } from './payload.ts';
import { Tally } from './tally.ts';

it('counts each task once, far beyond its first size', () => {
  const tally = new Tally();
  for (const id of [0, 1, 1_000_000, 1, 7, 8, 0]) tally.add(payload(id), 0);
  expect(tally.handled).toBe(5);
  expect(tally.duplicates).toBe(2);
});

it('keeps the delays of those that say when they were submitted, until they are taken', () => {
  const tally = new Tally();
  tally.add({ ...payload(0), t0: 10 }, 12.5);
  tally.add(payload(1), 13);
  expect(tally.takeDelays()).toEqual([2.5]);
  expect(tally.takeDelays()).toEqual([]);
});

it('carries about 200 bytes', () => {
  const { length } = JSON.stringify(payload(123_456));
  expect(length).toBeGreaterThan(180);
  expect(length).toBeLessThan(240);
});
