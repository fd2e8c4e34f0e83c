import { describe, expect, it } from 'vitest';
import { canaryWorld } from '../canaries/canary.ts';
import { simulate } from '../simulate.ts';

/** Little work besides, so that what is looked at is the windows. */
const SCHEDULED = {
  minutes: 12,
  nodes: 3,
  partitions: 4,
  tenants: 3,
  schedules: 10,
  submitEveryMs: 8_000,
  restMinutes: 30,
};

describe('schedules of several nodes', () => {
  it.each([
    ['TRG-12 TRG-28 crashes and pauses', { 'node.crash': 25_000, 'node.pause': 40_000 }],
    ['TRG-16 F14 clocks that are set', { 'node.crash': 60_000, 'clock.step': 40_000 }],
    [
      'U036 a store that is away, slow or silent',
      { 'store.away': 90_000, 'store.slow': 60_000, 'store.cut-answers': 60_000 },
    ],
    ['F26 stops in good order', { 'node.stop': 20_000 }],
    ['F2 everything down at once', { 'nodes.all-down': 120_000 }],
  ] as const)(
    '%s: every window once, none missing, none extra',
    async (_name, faults) => {
      for (const seed of [501, 502]) {
        const options = canaryWorld(seed, faults, { ...SCHEDULED, clockStepMsMax: 30_000 });
        const { result, evidence } = await simulate(options);
        expect(result.violations).toEqual([]);
        const fired = evidence.runs.filter(({ run }) => run.head.includes('"window"'));
        expect(fired.length).toBeGreaterThan(50);
      }
    },
    240_000,
  );
});
