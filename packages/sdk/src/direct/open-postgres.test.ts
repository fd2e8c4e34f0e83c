import { expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../../../tools/testing/postgres.ts';
import { job, Signalbox } from '../index.ts';

const hello = job('hello', async (input: { name: string }) => `hello, ${input.name}`);

describePostgres('a box on PostgreSQL', () => {
  it('EXT-08 runs the same job as on a file', async () => {
    await using box = await Signalbox.open(await createDatabase());
    await box.work([hello]);
    const run = await box.submit(hello, { name: 'world' });
    expect(await run.result()).toBe('hello, world');
  });
});
