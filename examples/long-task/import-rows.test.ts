import { TransientError } from 'signalbox';
import { simulate } from 'signalbox/testing';
import { expect, it, vi } from 'vitest';
import { importRows, target } from './import-rows.ts';

it('goes on where the attempt before it was', async () => {
  const inserted: number[] = [];
  vi.spyOn(target, 'insert').mockImplementation(async (from) => {
    if (from === 3_000 && !inserted.includes(-1)) {
      inserted.push(-1);
      throw new TransientError('the database is restarting');
    }
    inserted.push(from);
  });
  await using t = await simulate({ jobs: [importRows], at: '2026-01-01T00:00:00Z' });
  const run = await t.submit(importRows, { rows: 5_000 });
  await t.advance('1m');
  expect(await run.result()).toEqual({ imported: 5_000, attempts: 2 });
  // Nothing twice: the second attempt begins with the chunk that failed.
  expect(inserted).toEqual([0, 1_000, 2_000, -1, 3_000, 4_000]);
});
