import type { CommitPart, EndRow, RunRow } from '@signalbox/store';
import { createPostgresStore } from '@signalbox/store/postgres';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { sweep } from './retention.ts';

const DAY = 86_400_000;
const RUNS = 2_000;
const SETTINGS = { historyMs: 30 * DAY, keysMs: 7 * DAY, factsMs: 1, everyMs: DAY };
const url = hasPostgres ? await createDatabase() : '';

describePostgres('retention on PostgreSQL', () => {
  it('RET-08 rows older than 30 days are gone, and no table or index grows over six cycles', async () => {
    const store = await createPostgresStore({ url });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await store.close();
    });
    await store.migrate();
    const lease = await store.acquireLease({
      partition: 0,
      owner: 'a',
      ttlMs: 600_000,
      commitId: 'fence',
    });
    if (lease.kind !== 'acquired') throw new Error('held');
    const { epoch } = lease;
    let { seq } = lease;
    let count = 0;
    const write = async (ms: number): Promise<RunRow[]> => {
      const runs = Array.from({ length: RUNS }, () => {
        const id = { ms, partition: 0, seq: ++count };
        const input = new Uint8Array(200).fill(count % 256);
        const job = { job: 'j', jobVersion: 1, class: 1, head: '' } as const;
        const keys = [`key ${count}`];
        return { id, tenant: 't', ...job, inputBytes: input.length, input, keys };
      });
      const ends = runs.map(({ id, tenant }): EndRow => {
        return { id, tenant, state: 'SUCCEEDED', endedAtMs: id.ms, detail: '', output: null };
      });
      const body = new Uint8Array(1);
      const group = { partition: 0, epoch, seq: ++seq, atMs: ms, factCount: 1, body };
      const part: CommitPart = { ...group, runs, ends, parked: [], inboxTaken: [], aliases: [] };
      expect(await store.append({ commitId: `c${seq}`, parts: [part] })).toEqual({
        kind: 'committed',
      });
      return runs;
    };
    /** Bytes of all tables and indexes, after what autovacuum does. */
    const size = async (): Promise<number> => {
      await client.query('vacuum');
      const all = `select sum(pg_total_relation_size(c.oid))::int as bytes from pg_class c
        join pg_namespace n on n.oid = relnamespace where nspname = 'signalbox' and relkind = 'r'`;
      return (await client.query(all)).rows[0].bytes as number;
    };
    const now = await store.now();
    const kept = await write(now - 29 * DAY);
    const sizes: number[] = [];
    let filled = 0;
    for (let cycle = 0; cycle < 6; cycle++) {
      const old = await write(now - (40 + cycle) * DAY);
      filled = await size();
      // The first sweep seals the segment, the second drops it.
      await sweep(store, SETTINGS);
      await sweep(store, SETTINGS);
      for (const run of [old[0], old.at(-1)]) {
        expect(await store.getRun({ tenant: 't', id: run!.id })).toBeNull();
      }
      sizes.push(await size());
    }
    const rows = 'select count(*)::int as count from signalbox.keys';
    expect((await client.query(rows)).rows[0].count).toBe(0);
    expect(await store.getRun({ tenant: 't', id: kept[0]!.id })).not.toBeNull();
    // What is dropped is given back at once, and the sixth cycle ends where the second did.
    const [, second = 0] = sizes;
    const last = sizes.at(-1) ?? 0;
    expect(filled - last).toBeGreaterThan(RUNS * 200);
    expect(last).toBeLessThanOrEqual(second * 1.05);
  });
});
