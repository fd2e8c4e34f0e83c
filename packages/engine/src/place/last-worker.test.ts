import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Class } from '../model/classes.ts';
import type { Run } from '../model/run.ts';
import { Harness } from '../testing/harness.ts';

/** Fails the run's attempt and lets its back-off pass. */
function failAndWait(h: Harness, run: Run): void {
  h.fail(h.attemptOf(run), { class: 'transient' });
  h.advance(10_000);
}

const retry = { attemptsMax: 100, fixedDelayMs: 1_000 };

describe('the next attempt of a failed task', () => {
  it('FLT-12: is on another worker while another fits, for every class and fleet', () => {
    assertProperty(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 6 }),
        fc.constantFrom<Class>(0, 1, 2),
        fc.integer({ min: 1, max: 3 }),
        (sizes, klass, slots) => {
          const h = new Harness();
          for (const [i, size] of sizes.entries()) {
            h.addWorker({ name: `w${i}`, total: { slots: size } });
          }
          const fitting = sizes.filter((size) => size >= slots).length;
          fc.pre(fitting >= 2);
          const run = h.submit({ class: klass, request: { slots }, retry });
          h.step();
          for (let i = 0; i < 6; i++) {
            const { workerName } = h.attemptOf(run);
            failAndWait(h, run);
            expect(h.attemptOf(run).workerName).not.toBe(workerName);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('FLT-12: looks beyond its sample for one: a P0 task in a large fleet', () => {
    const budgets = {
      0: { look: 1, score: 1 },
      1: { look: 1, score: 1 },
      2: { look: 1, score: 1 },
    };
    const weights = { locality: 4, tightFit: 2, balance: 1, zoneSpread: 1 };
    const h = new Harness({ settings: { placement: { budgets, weights } } });
    for (let i = 1; i <= 5; i++) h.addWorker({ name: `w${i}`, total: { slots: i } });
    const run = h.submit({ class: 0, retry });
    h.step();
    for (let i = 0; i < 30; i++) {
      const { workerName } = h.attemptOf(run);
      failAndWait(h, run);
      expect(h.attemptOf(run).workerName).not.toBe(workerName);
    }
  });

  it('FLT-12: is where it was if no other fits, instead of waiting for ever', () => {
    const h = new Harness();
    h.addWorker({ name: 'gpu', total: { slots: 1, gpu: 1 } });
    h.addWorker({ name: 'plain', total: { slots: 5 } });
    const run = h.submit({ request: { gpu: 1 }, retry });
    h.step();
    failAndWait(h, run);
    expect(h.attemptOf(run)).toMatchObject({ workerName: 'gpu', number: 2 });
  });

  it('FLT-12: does not wait for a better worker to become free', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 1 } });
    h.addWorker({ name: 'w2', total: { slots: 1 } });
    const run = h.submit({ retry });
    h.submit();
    h.acceptAll();
    const { workerName } = h.attemptOf(run);
    failAndWait(h, run);
    expect(h.attemptOf(run).workerName).toBe(workerName);
  });
});
