import { expect, it } from 'vitest';
import { Rate } from './rate.ts';

it('a rate allows a burst, then so much per second, and never saves up more than the burst', () => {
  let now = 0;
  const rate = new Rate(10, () => now);
  expect(rate.take(20)).toBe(true);
  expect(rate.take(1)).toBe(false);
  now = 500;
  expect(rate.take(5)).toBe(true);
  expect(rate.take(1)).toBe(false);
  now = 3_600_000;
  expect(rate.take(21)).toBe(false);
  expect(rate.take(20)).toBe(true);
});
