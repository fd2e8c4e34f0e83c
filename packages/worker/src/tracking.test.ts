import { afterEach, expect, it } from 'vitest';
import { endInEveryWay, runBatch } from './testing/every-end.ts';
import { startWorker, stopWorkers } from './testing/start-worker.ts';

afterEach(stopWorkers);

const TASKS = 20_000;
const AT_ONCE = 200;

it('WRK-16 tracks nothing any more after 20,000 tasks of every kind of end', async () => {
  const { node, worker } = await startWorker(endInEveryWay, { total: { slots: AT_ONCE } });
  let results = 0;
  for (let from = 0; from < TASKS; from += AT_ONCE) {
    results += await runBatch(node, worker, { from, count: AT_ONCE });
  }
  // One in 50 was superseded.
  expect(results).toBe(TASKS - TASKS / 50);
  expect(worker.tracking).toEqual({ held: 0, running: 0, occupying: 0, progress: 0 });
  expect(worker.state).toBe('idle');
});
