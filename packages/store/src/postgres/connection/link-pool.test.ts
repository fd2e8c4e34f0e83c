import { expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../../tools/testing/postgres.ts';
import { part, runRow } from '../../conformance/builders.ts';
import { connectTo, openStore } from '../testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';

describePostgres('connections of a store', () => {
  it('PRF-18 are never more than seven, under any number of calls at once', async () => {
    const store = await openStore({ url });
    const observer = await connectTo(url);
    onTestFinished(async () => {
      await observer.end();
      await store.close();
    });
    const lease = await store.acquireLease({
      partition: 1,
      owner: 'a',
      ttlMs: 60_000,
      commitId: 'fence',
    });
    if (lease.kind !== 'acquired') throw new Error('held');
    const ms = await store.now();
    const id = { ms, partition: 1, seq: 1 };
    let isOver = false;
    const load = Array.from({ length: 100 }, async (_, i) => {
      for (let n = 0; n < 2; n++) {
        await store.getRun({ tenant: 'acme', id });
        await store.readKeys([{ tenant: 'acme', key: `k${i}` }]);
        await store.listSegments();
        await store.beat({ node: `n${i % 3}`, address: '', ttlMs: 60_000, leases: [] });
      }
    });
    const commits = (async () => {
      for (let n = 0; !isOver; n++) {
        const { epoch, seq } = lease;
        const runs = [runRow({ ms, partition: 1, seq: n + 1 })];
        const next = part({ partition: 1, epoch, seq: seq + 1 + n, runs });
        await store.append({ commitId: `c${n}`, parts: [next] });
      }
    })();
    const count = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
      and pid <> pg_backend_pid()`;
    const seen: number[] = [];
    const watch = (async () => {
      while (!isOver) seen.push((await observer.query(count)).rows[0].count as number);
    })();
    await Promise.all(load);
    isOver = true;
    await Promise.all([commits, watch]);
    expect(seen.length).toBeGreaterThan(10);
    // Four for reads, one each for commits and leases, and one for changes of the schema.
    expect(Math.max(...seen)).toBeLessThanOrEqual(7);
    expect(Math.max(...seen)).toBeGreaterThanOrEqual(6);
  });
});
