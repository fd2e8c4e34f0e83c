import { describe, expect, it } from 'vitest';
import { REGRESSIONS } from './regressions.ts';
import { simulate, simulateSeed } from './simulate.ts';

describe('the simulator', () => {
  it.each([1001, 1004])(
    'DUR-04 DUR-10 DUR-14 PLC-11 U028 seed %i keeps every promise',
    async (seed) => {
      const result = await simulateSeed(seed, 10);
      expect(result.violations).toEqual([]);
      expect(result.runs).toBeGreaterThan(0);
    },
    60_000,
  );

  it('I21 leaves the same log for the same seed', async () => {
    const first = await simulateSeed(2001, 8);
    const second = await simulateSeed(2001, 8);
    expect(second.hash).toBe(first.hash);
    expect(second.events).toBe(first.events);
  }, 60_000);

  it('leaves another log for another seed', async () => {
    const [first, second] = [await simulateSeed(2002, 2), await simulateSeed(2003, 2)];
    expect(second.hash).not.toBe(first.hash);
  }, 60_000);

  it.each(REGRESSIONS)(
    'seed $seed: $why',
    async ({ options }) => {
      const { result } = await simulate(options);
      expect(result.violations).toEqual([]);
    },
    120_000,
  );
});
