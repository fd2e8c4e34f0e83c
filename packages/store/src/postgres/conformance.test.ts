import { describe, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { conformanceSuite, differentialRun, memoryTarget } from '../conformance/index.ts';
import { postgresTarget } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';

describePostgres('on a real server', () => {
  conformanceSuite(postgresTarget(url));

  describe('differential runs', () => {
    // The segments of a run are cut by real time here, so a slow machine makes many more of them.
    const options = { steps: 150, snapshotEvery: 10, a: memoryTarget };

    it.each([1, 2])(
      'agree with the memory store, seed %i',
      async (seed) => {
        await differentialRun({ ...options, seed, b: postgresTarget(url) });
      },
      300_000,
    );

    it('F13 agree with the memory store without prepared statements', async () => {
      const b = postgresTarget(url, { prepare: false });
      await differentialRun({ ...options, seed: 3, b });
    }, 300_000);
  });
});
