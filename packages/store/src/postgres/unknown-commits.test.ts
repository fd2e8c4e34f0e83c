import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import type { CommitPart } from '../contract/journal.ts';
import type { PostgresStore } from './index.ts';
import { connectTo, openStore } from './testing/target.ts';
import { TcpProxy } from './testing/tcp-proxy.ts';

const url = hasPostgres ? await createDatabase() : '';
/** What every commit sends: the name of the statement that writes the groups. */
const COMMIT = 'insert_group';

describePostgres('a commit whose answer is lost', () => {
  let proxy: TcpProxy;
  let schema: string;
  let store: PostgresStore;
  let direct: PostgresStore;
  let nextPartition = 0;

  beforeAll(async () => {
    proxy = await TcpProxy.before(url);
    const opened = await openStore({ url: proxy.url, responseTimeoutMs: 700 });
    store = opened;
    schema = opened.schema;
    direct = await openStore({ url, schema });
    await store.ensureSegments({ untilMs: await store.now() });
  });

  afterAll(async () => {
    await store?.close();
    await direct?.close();
    await proxy?.close();
  });

  async function ownedPart(content: Partial<CommitPart> = {}): Promise<CommitPart> {
    const partition = ++nextPartition;
    const commitId = `fence of ${partition}`;
    const lease = await store.acquireLease({ partition, owner: 'a', ttlMs: 60_000, commitId });
    if (lease.kind !== 'acquired') throw new Error('held');
    const id = { ms: await store.now(), partition, seq: 1 };
    const runs = [runRow(id, { keys: [`key ${partition}`] })];
    return part({ partition, epoch: lease.epoch, seq: lease.seq + 1, runs, ...content });
  }

  it('DUR-02 is found by its id when the server carried it out', async () => {
    const next = await ownedPart();
    proxy.swallowAnswerTo(COMMIT);
    await expectRefused(store.append({ commitId: 'carried out', parts: [next] }), 'unknown');
    expect(await store.readGroup(next)).toMatchObject({ commitId: 'carried out' });
    expect((await store.snapshot()).runs.some(({ keys }) => keys[0] === 'key 1')).toBe(true);
  });

  it('I9 can never succeed after the read-back, though its request arrives later', async () => {
    const next = await ownedPart();
    proxy.holdRequest(COMMIT);
    await expectRefused(store.append({ commitId: 'late', parts: [next] }), 'unknown');
    expect(proxy.isHolding).toBe(true);
    expect(await store.readGroup(next)).toBeNull();
    const before = await store.snapshot();
    await proxy.release();
    expect(await store.snapshot()).toEqual(before);
    expect(await store.append({ commitId: 'again', parts: [next] })).toEqual({
      kind: 'committed',
    });
    expect(await store.readGroup(next)).toMatchObject({ commitId: 'again' });
  });

  it('may be tried again under the same id after the read-back', async () => {
    const next = await ownedPart();
    proxy.holdRequest(COMMIT);
    const commit = { commitId: 'same', parts: [next] };
    await expectRefused(store.append(commit), 'unknown');
    expect(await store.readGroup(next)).toBeNull();
    expect(await store.append(commit)).toEqual({ kind: 'committed' });
    await proxy.release();
    const groups = await store.readGroups({ ...next, afterSeq: 0, limit: 9 });
    expect(groups.map(({ commitId }) => commitId)).toEqual([`fence of ${next.partition}`, 'same']);
  });

  it('I9 is stopped by a take-over, though nobody has read back', async () => {
    const next = await ownedPart();
    proxy.holdRequest(COMMIT);
    await expectRefused(store.append({ commitId: 'late', parts: [next] }), 'unknown');
    const { partition } = next;
    const request = { partition, owner: 'a', ttlMs: 60_000, commitId: 'successor' };
    expect(await direct.acquireLease(request)).toMatchObject({ seq: next.seq });
    await proxy.release();
    expect(await direct.readGroup(next)).toMatchObject({ commitId: 'successor' });
    expect(await direct.readKeys([{ tenant: 'acme', key: `key ${partition}` }])).toEqual([]);
  });

  it('is waited for by the read-back while the server is still at work on it', async () => {
    const next = await ownedPart();
    const patient = await openStore({ url: proxy.url, schema, responseTimeoutMs: 20_000 });
    const admin = await connectTo(url);
    await admin.query(`begin; lock table ${schema}.runs in access exclusive mode`);
    proxy.cutOffAfter(COMMIT);
    await expectRefused(patient.append({ commitId: 'slow', parts: [next] }), 'unknown');
    await waitForWaiting(admin, 'relation');
    const answer = patient.readGroup(next);
    await waitForWaiting(admin, 'advisory');
    await admin.query('commit');
    await admin.end();
    expect(await answer).toMatchObject({ commitId: 'slow' });
    await patient.close();
  });

  it('is no riddle when the server itself gave up in time: nothing was written', async () => {
    const next = await ownedPart();
    const admin = await connectTo(url);
    await admin.query(`begin; lock table ${schema}.runs in access exclusive mode`);
    await expectRefused(store.append({ commitId: 'slow', parts: [next] }), 'unavailable');
    await admin.query('rollback');
    await admin.end();
    expect(await store.append({ commitId: 'quick', parts: [next] })).toEqual({ kind: 'committed' });
  });
});

/** Returns when somebody in this database stands before a lock of the kind. */
async function waitForWaiting(admin: pg.Client, kind: 'relation' | 'advisory'): Promise<void> {
  for (;;) {
    const { rows } = await admin.query(
      `select 1 from pg_locks join pg_database d on d.oid = database
      where datname = current_database() and locktype = $1 and not granted`,
      [kind],
    );
    if (rows.length > 0) return;
  }
}
