import { afterEach, expect, it, vi } from 'vitest';
import { buildAssign } from './testing/fake-node.ts';
import { startWorker, stopWorkers } from './testing/start-worker.ts';

afterEach(stopWorkers);

const TASKS = 20_000;
const AT_ONCE = 200;

it('WRK-16 tracks nothing any more after 20,000 tasks of every kind of end', async () => {
  const { node, worker } = await startWorker(
    async (input: number, context) => {
      if (input % 5 === 0) context.progress(0.5);
      if (input % 7 === 0) throw new Error('now and then');
      if (input % 3 === 0) await context.checkpoint.save(input);
      return input;
    },
    { total: { slots: AT_ONCE } },
  );
  for (let at = 0; at < TASKS; at += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) =>
      buildAssign(at + i, { value: at + i, timeoutMs: 60_000 }),
    );
    node.say(...batch);
    const isStale = at % 1_000 === 0;
    if (isStale) node.say({ kind: 'stale', ref: batch[0]!.ref });
    // Frames are handed over later: nothing is held before they arrive.
    const results = isStale ? AT_ONCE - 1 : AT_ONCE;
    await node.until(() => node.all('finish').length >= results);
    await vi.waitFor(() => expect(worker.tracking.held).toBe(0), { interval: 1, timeout: 5_000 });
    node.heard.length = 0;
  }
  expect(worker.tracking).toEqual({ held: 0, running: 0, occupying: 0, progress: 0 });
  expect(worker.state).toBe('idle');
});
