import { expect, it } from 'vitest';
import { job, Signalbox } from './index.ts';

it('API-16 lists and cancels runs by filter, embedded', async () => {
  await using box = await Signalbox.open('memory:');
  const wait = job('wait', () => {});
  await box.apply([wait]);
  const first = await box.submit(wait, undefined, { idempotencyKey: 'order-1' });
  const second = await box.submit(wait, undefined);
  const ids = async (query: Parameters<typeof box.runs.list>[0]) =>
    (await box.runs.list(query)).items.map(({ id }) => id);
  expect(await ids({ idempotencyKey: 'order-1', job: undefined })).toEqual([first.id]);
  expect(await ids({ id: second.id })).toEqual([second.id]);
  expect(await ids({ until: '2000-01-01T00:00:00Z' })).toEqual([]);
  const filter = { job: 'wait', state: undefined };
  expect(await box.runs.cancel({ filter, dryRun: true })).toMatchObject({ count: 2, done: 0 });
  expect(await box.runs.cancel({ filter, reason: 'bad data' })).toMatchObject({ done: 2 });
  expect((await box.runs.get(first.id)).state).toBe('CANCELLED');
});
