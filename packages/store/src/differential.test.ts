import { describe, expect, it } from 'vitest';
import { differentialRun } from './conformance/index.ts';
import { memoryTarget } from './conformance/memory-target.ts';
import type { ConformanceTarget } from './conformance/target.ts';
import { createMemoryStore } from './memory/index.ts';
import { sqliteTarget } from './sqlite/testing/sqlite-target.ts';

/** `DIFFERENTIAL_SEED=… npm test -- differential` repeats a run that failed. */
const given = process.env['DIFFERENTIAL_SEED'];
const seeds = given === undefined ? [1, 2, 3, Date.now() % 2 ** 31] : [Number(given)];

/** Memory on the real clock: shows that a run holds with a store whose clock cannot be set. */
const realClockTarget: ConformanceTarget = {
  name: 'memory on the real clock',
  create: async (options) => {
    const store = createMemoryStore({ now: Date.now, ...options, groupSegmentSize: 7 });
    return { store, snapshot: async () => store.snapshot(), close: () => store.close() };
  },
};

/** A run ends when every operation has succeeded, which some seeds reach late. */
const TIMEOUT_MS = 120_000;

describe('differential runs', { timeout: TIMEOUT_MS }, () => {
  it.each(seeds)('I21 memory and SQLite agree, seed %i', async (seed) => {
    const { steps } = await differentialRun({ seed, steps: 400, a: memoryTarget, b: sqliteTarget });
    expect(steps).toBeGreaterThanOrEqual(400);
  });

  it('hold with a store on a clock of its own', async () => {
    await differentialRun({ seed: 4, steps: 200, a: memoryTarget, b: realClockTarget });
  });

  it('notice a store that forgets something', async () => {
    const forgetful: ConformanceTarget = {
      name: 'forgetful',
      create: async (options) => {
        const harness = await memoryTarget.create(options);
        const store = { ...harness.store, putInbox: async () => ({ kind: 'put' as const }) };
        return { ...harness, store };
      },
    };
    const run = differentialRun({ seed: 5, steps: 200, a: memoryTarget, b: forgetful });
    await expect(run).rejects.toThrow(/seed 5/);
  });
});
