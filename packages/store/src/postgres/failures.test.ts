import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { createPostgresStore } from './index.ts';
import { connectTo, execute, openStore } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';
const POOL_SIZE = 2;

describePostgres('when the server is in trouble', () => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let lease: { epoch: number; seq: number };

  beforeAll(async () => {
    store = await openStore({ url, readPoolSize: POOL_SIZE, responseTimeoutMs: 1_000 });
    const request = { partition: 1, owner: 'a', ttlMs: 600_000, commitId: 'fence' };
    const answer = await store.acquireLease(request);
    if (answer.kind !== 'acquired') throw new Error('held');
    lease = { epoch: answer.epoch, seq: answer.seq };
  });

  afterAll(() => store?.close());

  const beat = () => store.beat({ node: 'a', address: 'x', ttlMs: 9_000, leases: [] });
  const commit = async () => {
    const at = { partition: 1, epoch: lease.epoch, seq: lease.seq + 1 };
    const id = { ms: await store.now(), partition: 1, seq: at.seq };
    const next = part({ ...at, runs: [runRow(id)] });
    const result = await store.append({ commitId: `commit ${at.seq}`, parts: [next] });
    if (result.kind === 'committed') lease.seq += 1;
    return result;
  };

  it('F29 reads that hang cost neither beats nor commits, and end in unavailable', async () => {
    await commit();
    const admin = await connectTo(url);
    await admin.query(`begin; lock table ${store.schema}.definitions in access exclusive mode`);
    const key = { tenant: 't', kind: 'job', name: 'n' };
    const reads = Array.from({ length: 3 * POOL_SIZE }, () => store.getDefinition(key));
    const refusals = reads.map((read) => expectRefused(read, 'unavailable'));
    for (let i = 0; i < 5; i++) {
      expect((await beat()).nodes).toHaveLength(1);
      const next = part({ partition: 1, ...lease, seq: lease.seq + 1 });
      const result = await store.append({ commitId: `beside ${i}`, parts: [next] });
      expect(result).toEqual({ kind: 'committed' });
      lease.seq += 1;
    }
    await Promise.all(refusals);
    await admin.query('rollback');
    await admin.end();
    expect(await store.getDefinition(key)).toBeNull();
  });

  it('F29 a checkpoint that is slow to write does not keep the beat waiting', async () => {
    const admin = await connectTo(url);
    await admin.query(`begin; lock table ${store.schema}.checkpoint_chunks in share mode`);
    const { epoch, seq } = lease;
    const chunks = [new Uint8Array(9)];
    const writing = store.writeCheckpoint({ partition: 1, epoch, seq, chunks });
    const leases = [{ partition: 1, epoch }];
    for (let i = 0; i < 5; i++) {
      const answer = await store.beat({ node: 'a', address: 'x', ttlMs: 600_000, leases });
      expect(answer).toMatchObject({ renewed: [1], lost: [] });
    }
    await admin.query('rollback');
    await admin.end();
    expect(await writing).toBe(true);
  });

  it('F7 goes on by itself after all its sessions were ended', async () => {
    for (let round = 0; round < 3; round++) {
      await commit();
      await beat();
      await endSessions();
      expect((await beat()).nodes).toHaveLength(1);
      expect(await store.readGroup({ partition: 1, seq: lease.seq })).not.toBeNull();
      expect(await commit()).toEqual({ kind: 'committed' });
    }
  });

  /** Ends the store's sessions and returns when the store has heard of it. */
  async function endSessions(): Promise<void> {
    await execute(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'signalbox' and datname = current_database()`,
    );
    // The news travels on the sockets of the store; one turn of the loop per socket is plenty.
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  it('F29 waits in line behind a deadlock and is not broken by it', async () => {
    // Two stores write the same keys in opposite order, again and again.
    const other = await openStore({ url, schema: store.schema });
    const owners = await Promise.all(
      [store, other].map(async (node, i) => {
        const partition = 10 + i;
        const request = { partition, owner: 'a', ttlMs: 600_000, commitId: 'fence' };
        const answer = await node.acquireLease(request);
        if (answer.kind !== 'acquired') throw new Error('held');
        return { node, partition, epoch: answer.epoch, seq: answer.seq };
      }),
    );
    const ms = await store.now();
    for (let round = 0; round < 20; round++) {
      const results = await Promise.all(
        owners.map(async ({ node, partition, epoch, seq }) => {
          const keys = Array.from({ length: 40 }, (_, i) => `${round} ${i}`);
          if (partition === 10) keys.reverse();
          const runs = keys.map((key, i) =>
            runRow({ ms, partition, seq: round * 100 + i }, { keys: [key] }),
          );
          const next = part({ partition, epoch, seq: seq + 1, runs });
          return node.append({ commitId: `deadlock ${round}`, parts: [next] });
        }),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual(['committed', 'keyTaken']);
      for (const [i, { kind }] of results.entries()) {
        const owner = owners[i];
        if (owner !== undefined && kind === 'committed') owner.seq += 1;
      }
    }
    await other.close();
  });

  it('DUR-02 reports what does not fit as invalid, before anything is written', async () => {
    const id = { ms: await store.now(), partition: 1, seq: 999 };
    for (const bad of [{ jobVersion: 2 ** 31 }, { jobVersion: 1.5 }, { class: 7 as 0 }]) {
      const next = part({ partition: 1, ...lease, seq: lease.seq + 1, runs: [runRow(id, bad)] });
      await expectRefused(store.append({ commitId: 'bad', parts: [next] }), 'invalid');
    }
    const long = part({ partition: 1, ...lease, seq: lease.seq + 1 });
    const runs = [runRow(id, { keys: [randomText(9_000)] })];
    await expectRefused(store.append({ commitId: 'bad', parts: [{ ...long, runs }] }), 'invalid');
    expect(await commit()).toEqual({ kind: 'committed' });
  });

  it('says unavailable after it was closed', async () => {
    const own = await openStore({ url, schema: store.schema });
    await own.close();
    await expectRefused(own.now(), 'unavailable');
    await expectRefused(
      own.append({ commitId: 'x', parts: [part({ partition: 1, ...lease })] }),
      'unavailable',
    );
  });
});

describe('when there is no server', () => {
  it('says unavailable at once', async () => {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => listener.close(resolve));
    const away = createPostgresStore({ url: `postgres://nobody@127.0.0.1:${port}/none` });
    await expectRefused(away, 'unavailable');
  });

  it('gives up on one that accepts and never speaks', async () => {
    const sockets: Socket[] = [];
    const listener = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const silent = createPostgresStore({
      url: `postgres://nobody@127.0.0.1:${port}/none`,
      connectTimeoutMs: 100,
    });
    await expectRefused(silent, 'unavailable');
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
});

/** A text that does not compress, so that it cannot fit an index by luck. */
function randomText(length: number): string {
  let seed = 12_345;
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return String.fromCodePoint(0x4e00 + (seed % 20_000));
  }).join('');
}
