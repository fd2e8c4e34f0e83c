import { expect, it } from 'vitest';
import { buildSpec } from '../testing/builders.ts';
import { percentile } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';

/** How long it takes to hand out one task, of a backlog of so many jobs; the median. */
function dispatchMs(keys: number): number {
  const h = new Harness({ settings: { queueWindow: 1_000_000, classWindow: 1_000_000 } });
  for (let i = 0; i < keys; i++) {
    h.submit({ spec: buildSpec({ job: `job-${i}` }) });
  }
  h.flush();
  h.addWorker({ total: { slots: 1 } });
  const took: number[] = [];
  for (let i = 0; i < 90; i++) {
    const startedAt = performance.now();
    while (h.engine.schedule(h.now, h.random));
    took.push(performance.now() - startedAt);
    const { effects } = h.flush();
    const assigned = effects.filter(({ kind }) => kind === 'assign');
    expect(assigned).toHaveLength(1);
    for (const effect of assigned) if (effect.kind === 'assign') h.succeed(effect.attempt);
  }
  return percentile(took, 0.5);
}

it('U073 handing out a task costs the same with a backlog of 100,000 jobs as with 100', () => {
  const few = Math.min(dispatchMs(100), dispatchMs(100));
  const many = dispatchMs(100_000);
  // A thousand times the jobs must not be a multiple of the time; a heap may go a few levels deeper.
  expect(many).toBeLessThan(5 * few + 0.2);
  expect(many).toBeLessThan(5);
}, 120_000);
