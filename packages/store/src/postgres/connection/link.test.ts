import { expect, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../../tools/testing/postgres.ts';
import { readNow } from '../sql/session/read-now.ts';
import type { Connection } from './connection.ts';
import { Link } from './link.ts';
import { step } from './step.ts';

const url = hasPostgres ? await createDatabase() : '';

describePostgres('a link', () => {
  const options = { url, prepare: true, connectTimeoutMs: 5_000, responseTimeoutMs: 60_000 };
  const sleep = (seconds: number) => (connection: Connection) =>
    connection.script(`select pg_sleep(${seconds})`);

  it('hangs up on nobody when its idle time is over while a call is under way', async () => {
    const link = new Link({ ...options, idleMsMax: 50 });
    await link.use(sleep(0));
    const first = link.use(sleep(0));
    const second = link.use(sleep(0.2));
    await first;
    await second;
    await expect(link.use(sleep(0.05))).resolves.toBeUndefined();
    await link.close();
  });

  it('has one call at a time, also where one calls it again', async () => {
    const link = new Link(options);
    await link.use(sleep(0));
    let running = 0;
    let most = 0;
    const counted = async (connection: Connection): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await sleep(0.01)(connection);
      running -= 1;
    };
    let inner: Promise<void> | null = null;
    await link.use((connection) => {
      inner ??= link.use(counted);
      return counted(connection);
    });
    await inner;
    await link.close();
    expect(most).toBe(1);
  });

  it('fails only the call whose statement cannot be written, with an error of the store', async () => {
    const link = new Link(options);
    const unwritable = step(readNow('public'), 0, () => {
      Buffer.alloc(8).writeInt32BE(2 ** 31);
    });
    const failed = link.use((connection) => connection.run([unwritable]));
    await expect(failed).rejects.toMatchObject({ name: 'StoreError', kind: 'invalid' });
    const after = await link.use((connection) => connection.run([step(readNow('public'))]));
    expect(after.kind).toBe('done');
    await link.close();
  });
});
