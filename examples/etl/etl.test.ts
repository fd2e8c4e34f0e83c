// A test of a user's pipeline: no server, no waiting, the same every time.
import { simulate } from 'signalbox/testing';
import { expect, it } from 'vitest';
import { etl } from './etl.ts';

it('adds up what every file gave', async () => {
  await using t = await simulate({ jobs: [etl], at: '2026-01-01T00:00:00Z' });
  const run = await t.submit(etl, { day: '2025-12-31' });
  await t.advance('10s');
  expect(await run.result()).toEqual({ day: '2025-12-31', rows: 1_000, missing: [] });
});

it('goes on without a file that cannot be read, and says which', async () => {
  await using t = await simulate({ jobs: [etl], at: '2026-01-01T00:00:00Z' });
  t.failNext(etl, new Error('validation: no header'), { task: 'convert' });
  const run = await t.submit(etl, { day: '2025-12-31' });
  await t.advance('1m');
  expect(await run.state()).toBe('PARTIAL');
  const { output } = await run.view();
  expect(output).toMatchObject({ missing: [expect.stringMatching(/^convert_chunk_\d$/)] });
});
