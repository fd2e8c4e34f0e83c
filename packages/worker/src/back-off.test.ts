import { expect, it } from 'vitest';
import { BackOff } from './back-off.ts';

it('doubles from 100 ms to 5 s and stays there, with jitter below it', () => {
  const most = new BackOff(() => 1);
  const waits = Array.from({ length: 8 }, () => most.nextMs());
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  most.reset();
  expect(most.nextMs()).toBe(100);
  most.slow();
  expect(most.nextMs()).toBe(5_000);
  const least = new BackOff(() => 0);
  expect(Array.from({ length: 20 }, () => least.nextMs())).toEqual(new Array(20).fill(100));
});
