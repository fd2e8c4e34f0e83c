import { expect, it } from 'vitest';
import { job, Signalbox, type WorkingWorker } from './index.ts';

it('U089 U090 F26 a rolling restart of all workers charges no attempt and leaves nothing running', async () => {
  const box = await Signalbox.open('memory:');
  const release = Promise.withResolvers<void>();
  let running = 0;
  /** Short ones end by themselves; a long one obeys its signal and is continued elsewhere. */
  const work = job('work', { retry: { maxAttempts: 1 } }, async (input: { long: boolean }, ctx) => {
    running++;
    try {
      if (!input.long) return 'short';
      await Promise.race([
        release.promise,
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(new Error('told to stop')));
        }),
      ]);
      return 'long';
    } finally {
      running--;
    }
  });
  const start = (name: string) => box.work([work], { name, concurrency: 4, gracePeriod: '100ms' });
  let fleet: WorkingWorker[] = [];
  for (const name of ['a1', 'b1', 'c1']) fleet.push(await start(name));
  const runs = [];
  for (let i = 0; i < 6; i++) runs.push(await box.submit(work, { long: true }));
  while (running < 6) await new Promise(setImmediate);
  // One after the other, each replaced before the next one goes; short work arrives all the time.
  const next: WorkingWorker[] = [];
  for (const [i, worker] of fleet.entries()) {
    next.push(await start(`${'abc'[i]}2`));
    for (let n = 0; n < 5; n++) runs.push(await box.submit(work, { long: false }));
    await worker.stop();
  }
  fleet = next;
  while (running < 6) await new Promise(setImmediate);
  release.resolve();
  for (const run of runs) {
    // With one allowed attempt, a charged one would have ended the run as failed.
    const { state, tasks } = await run.wait();
    expect(state).toBe('SUCCEEDED');
    const outcomes = tasks[0]?.attempts.map(({ outcome }) => outcome) ?? [];
    expect(outcomes.at(-1)).toBe('succeeded');
    for (const outcome of outcomes.slice(0, -1)) expect(['drained', 'refused']).toContain(outcome);
  }
  expect(running).toBe(0);
  await box.close();
});

it('U089 a worker that is stopped without options waits for what it runs', async () => {
  const box = await Signalbox.open('memory:');
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = job('slow', { retry: { maxAttempts: 1 } }, async (_input: undefined, { signal }) => {
    begun.resolve();
    await release.promise;
    return signal.aborted;
  });
  const worker = await box.work([slow]);
  const run = await box.submit(slow);
  await begun.promise;
  let isStopped = false;
  const stopped = worker.stop().then(() => {
    isStopped = true;
  });
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  release.resolve();
  await stopped;
  expect(await run.result()).toBe(false);
  await box.close();
});
