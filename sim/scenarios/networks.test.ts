import { describe, expect, it } from 'vitest';
import { canaryWorld } from '../canaries/canary.ts';
import { simulate } from '../simulate.ts';

const SMALL = { minutes: 3, nodes: 3, partitions: 4, submitEveryMs: 1_000, restMinutes: 20 };

describe('networks that fail', () => {
  it.each([
    [
      'F10 links between nodes and workers that are cut',
      { 'link.cut': 15_000, 'link.half-open': 30_000 },
    ],
    [
      'F12 links and answers that are lost in one direction',
      { 'link.cut-one-way': 15_000, 'store.cut-answers': 30_000 },
    ],
    ['F18 a slow store', { 'store.slow': 40_000 }],
    ['F19 frames that are lost, repeated and reordered', { 'net.bad': 40_000 }],
  ] as const)(
    '%s: every promise is kept',
    async (_name, faults) => {
      const { result, evidence } = await simulate(canaryWorld(601, faults, SMALL));
      const began = evidence.events.filter((event) => event.kind === 'fault' && event.on);
      expect(began.length).toBeGreaterThanOrEqual(2);
      expect(result.violations).toEqual([]);
      expect(result.runs).toBeGreaterThan(50);
    },
    120_000,
  );
});
