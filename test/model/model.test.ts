import { expect, it } from 'vitest';
import { hasPostgres } from '../../tools/testing/postgres.ts';
import { drawOptions } from './options.ts';
import { runModel } from './run-model.ts';

const SEED = 7;

/** Few requests and a few short faults, counted rather than timed; `npm run model` does more. */
const SHORT = {
  ...{ clients: 4, workers: 2, tenants: ['default', 'second'], keys: 1 },
  ...{ faultEveryMs: 1_500, pauseMsMax: 2_500, actEveryMs: 100, requestsMin: 40 },
};

async function judgeSeed(params: { store: 'sqlite' | 'postgres'; nodes: number }): Promise<void> {
  const options = { ...drawOptions({ seed: SEED, seconds: 5, ...params }), ...SHORT };
  const report = await runModel(options);
  const found = [...report.problems, report.logs].join('\n');
  expect(report.problems, found).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(20);
  expect(report.duplicates).toBeGreaterThan(0);
  expect(report.requests).toBeGreaterThan(0);
  expect(report.runStreams).toBeGreaterThan(0);
  expect(report.faults).toBeGreaterThan(0);
}

it('I1 I2 I10 I20 random requests to one node on a file, whose processes are killed', async () => {
  await judgeSeed({ store: 'sqlite', nodes: 1 });
}, 400_000);

it.skipIf(!hasPostgres)(
  'I1 I2 I10 I20 random requests to three nodes on PostgreSQL, whose processes are killed',
  async () => {
    await judgeSeed({ store: 'postgres', nodes: 3 });
  },
  400_000,
);
