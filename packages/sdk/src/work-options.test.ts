import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { job } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';
import { simulate } from './testing/index.ts';

const later = job('later', () => 1);
const both = new BothPlaces();
beforeAll(() => both.start());
afterAll(() => both.stop());

describe.each(both.places)('work() of the $name box', ({ open }) => {
  it.each([0, -1, 1.5, Number.NaN, '4'])('refuses a concurrency of %s', async (concurrency) => {
    await using box = await open();
    await expect(box.work([later], { concurrency: concurrency as number })).rejects.toMatchObject({
      ...{ name: 'SignalboxError', code: 'invalid', field: 'concurrency' },
      message: `concurrency must be a whole number from 1 to 100000, not ${concurrency}`,
    });
  });

  it('refuses executors that it does not know', async () => {
    await using box = await open();
    const work = box.work([later], { executors: ['http', 'comand' as 'command'] });
    await expect(work).rejects.toMatchObject({ code: 'invalid', field: 'executors[1]' });
    await expect(work).rejects.toThrow('there is no executor "comand" (did you mean "command"?)');
    const text = box.work([later], { executors: 'http' as never });
    await expect(text).rejects.toMatchObject({ code: 'invalid', field: 'executors' });
    expect(await box.runs.list({ job: 'later' })).toEqual({ items: [] });
  });

  it('gives a worker that a block stops', async () => {
    await using box = await open();
    {
      await using worker = await box.work([later], { name: 'scoped' });
      expect(worker.name).toBe('scoped');
    }
    // Its name is free again.
    const again = await box.work([later], { name: 'scoped' });
    await again[Symbol.asyncDispose]();
  });

  it('settles whenever the box is closed, and so does close', async () => {
    for (let turns = 0; turns < 24; turns++) {
      const box = await open();
      const work = box.work([later], { name: `racing-${turns}` }).then(
        (worker) => worker.name,
        (error: { code: string }) => error.code,
      );
      for (let i = 0; i < turns; i++) await turn();
      await box.close();
      expect(['closed', `racing-${turns}`]).toContain(await work);
    }
  });
});

it.each([0, -1, 1.5])('simulate refuses a concurrency of %s', async (concurrency) => {
  await expect(simulate({ jobs: [later], concurrency })).rejects.toMatchObject({
    ...{ code: 'invalid', field: 'concurrency' },
  });
});
