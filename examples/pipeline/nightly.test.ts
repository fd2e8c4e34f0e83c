// A test of a user's graph: no server, no waiting, the same every time.
import { simulate } from 'signalbox/testing';
import { expect, it } from 'vitest';
import { nightly } from './nightly.ts';

it('loads the day although the first extraction fails', async () => {
  await using t = await simulate({ jobs: [nightly], at: '2026-01-01T00:00:00Z' });
  t.fake(nightly, () => 'compressed', { task: 'compress' });
  t.failNext(nightly, new Error('connection reset'), { task: 'extract' });

  const run = await t.submit(nightly, { day: '2025-12-31' });
  expect(await run.state()).toBe('RUNNING');

  await t.advance('10s');
  expect(await run.result()).toEqual({ day: '2025-12-31', rows: 10 });
});

it('does not load a day that the check refuses', async () => {
  await using t = await simulate({ jobs: [nightly], at: '2026-01-01T00:00:00Z' });
  t.fake(nightly, () => 'compressed', { task: 'compress' });
  t.failNext(nightly, new Error('validation: 3 orders without a price'), { task: 'check' });

  const run = await t.submit(nightly, { day: '2025-12-31' });
  await t.advance('1h');
  await expect(run.result()).rejects.toMatchObject({ task: 'check', errorClass: 'permanent' });
  const { tasks } = await run.view();
  expect(tasks.find(({ name }) => name === 'load')?.state).toBe('CANCELLED');
});

it('runs again elsewhere when the worker is lost', async () => {
  await using t = await simulate({ jobs: [nightly], at: '2026-01-01T00:00:00Z', seed: 7 });
  t.fake(nightly, () => 'compressed', { task: 'compress' });
  t.takes(nightly, '20m', { task: 'load' });

  const run = await t.submit(nightly, { day: '2025-12-31' });
  await t.advance('10m');
  await t.loseWorker();
  await t.advance('30m');
  expect(await run.state()).toBe('SUCCEEDED');
});
