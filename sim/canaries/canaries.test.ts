import { describe, expect, it } from 'vitest';
import { CHECKERS } from '../checkers/all-checkers.ts';
import { CANARY_NAMES, CODE_CANARIES, MUTANTS, runCanary } from './all-canaries.ts';

describe('canaries', () => {
  it.each(CANARY_NAMES)(
    '%s: caught',
    async (name) => {
      const { missed, total } = await runCanary(name);
      expect(missed).toEqual([]);
      expect(total).toBeGreaterThan(0);
    },
    120_000,
  );

  it.each(CHECKERS.map(({ name }) => name))('checker %s has a deliberate bug to catch', (name) => {
    const meant = [...CODE_CANARIES, ...MUTANTS].filter((canary) => canary.caughtBy === name);
    expect(meant.length).toBeGreaterThanOrEqual(2);
  });
});
