import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { GraphLife } from '../testing/graph-life.ts';
import { expectedEnd, isLost, type Plan, planArbitrary } from '../testing/graph-plan.ts';

const seeds = fc.integer({ min: 1, max: 1_000_000 });

function lead(plan: Plan, seed: number, crashes: boolean): GraphLife {
  const life = new GraphLife(plan, seed);
  life.lead({ crashes });
  expect(life.problems).toEqual([]);
  return life;
}

describe.each([
  ['DAG-12 FAIL_AFTER_ALL', 'FAIL_AFTER_ALL'],
  ['DAG-13 SKIP_FAILED', 'SKIP_FAILED'],
  ['DAG-14 CONTINUE', 'CONTINUE'],
] as const)('%s', (_title, policy) => {
  it.each([
    ['on one node', false],
    ['over crashes and take-overs', true],
  ])(
    'DAG-04 DAG-16 DAG-19 DAG-23 DAG-28 ends every random graph as the reference says, %s',
    (_how, crashes) => {
      assertProperty(
        fc.property(planArbitrary([policy]), seeds, (plan, seed) => {
          const life = lead(plan, seed, crashes);
          const expected = expectedEnd(plan);
          expect(life.states()).toEqual(expected.tasks);
          expect(life.run.state).toBe(expected.run);
        }),
        { numRuns: 150 },
      );
    },
  );
});

describe('DAG-11 FAIL_FAST', () => {
  it('stops everything at the first failure, and succeeds where there is none', () => {
    assertProperty(
      fc.property(planArbitrary(['FAIL_FAST']), seeds, fc.boolean(), (plan, seed, crashes) => {
        const life = lead(plan, seed, crashes);
        const states = Object.values(life.states());
        const failed = life.run.tasks.some(({ index, part, state }) => {
          const planned = plan.tasks[part?.group?.index ?? index] as Plan['tasks'][number];
          return state !== 'CANCELLED' && isLost(planned, state);
        });
        expect(states.filter((state) => !FAST.has(state))).toEqual([]);
        const failure = plan.allowPartial && states.includes('SUCCEEDED') ? 'PARTIAL' : 'FAILED';
        if (failed) {
          expect(life.run.state).toBe(failure);
          return;
        }
        const expected = expectedEnd(plan);
        expect(life.states()).toEqual(expected.tasks);
        expect(life.run.state).toBe(expected.run);
      }),
      { numRuns: 150 },
    );
  });
});
const FAST = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED']);

describe('DAG-15 PAUSE', () => {
  it('holds what failed; once mended and resumed the run ends as if it had never failed', () => {
    assertProperty(
      fc.property(planArbitrary(['PAUSE']), seeds, fc.boolean(), (plan, seed, crashes) => {
        const life = lead({ ...plan, tasks: plan.tasks.map(fannedByWorkers(plan)) }, seed, crashes);
        const mended = life.plan.tasks.map((task) => ({
          ...task,
          fails: false,
          failing: [],
          ...(task.onReject === 'stop' && { answer: 'approve' as const }),
        }));
        const expected = expectedEnd({ ...life.plan, tasks: mended });
        expect(life.states()).toEqual(expected.tasks);
        expect(life.run.state).toBe(expected.run);
        expect(life.pauses > 0).toBe(life.mended.size > 0);
      }),
      { numRuns: 150 },
    );
  });
});

/** A fan-out of what says no number fails however often it is resumed. */
const fannedByWorkers = (plan: Plan) => (task: Plan['tasks'][number]) => {
  const from = plan.tasks[task.after[0] ?? -1];
  return task.kind === 'fanOut' && from?.kind !== 'worker' && from?.kind !== 'fanOut'
    ? { ...task, kind: 'worker' as const }
    : task;
};
