import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import {
  auditEntry,
  bytes,
  endRow,
  inboxEntry,
  logLine,
  parkedRow,
  part,
  runRow,
} from '../conformance/builders.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Store } from '../store.ts';

/*
 * Golden stores: one store of each database and schema version in `golden/`, with its expected contents.
 * Every later version must read them. To add the files of a new version:
 *
 *   GOLDEN=write npm test -- packages/store/src/sqlite/golden packages/store/src/postgres/golden
 *
 * This writes the files of the newest schema version if they do not exist, and never changes an existing
 * file: a golden file that changes is a broken promise.
 */

const FOLDER = new URL('../golden/', import.meta.url);
export const WRITES_GOLDEN = process.env['GOLDEN'] === 'write';

const DAY_MS = 86_400_000;
const MS = 1_700_000_000_000;
const PARTITION = 1;

type GoldenStore = Store & { snapshot(): Promise<Snapshot> };

export function readGolden(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}

export function writeGolden(name: string, content: string | Uint8Array): void {
  writeFileSync(new URL(name, FOLDER), content, { flag: 'wx' });
}

/** Nodes are left out: whether one is live depends on the time of the test. */
export async function contentsOf(store: GoldenStore): Promise<unknown> {
  return JSON.parse(JSON.stringify({ ...(await store.snapshot()), nodes: [] }));
}

/** Writes at least one row of every table and every kind. */
export async function fillGoldenStore(store: Store): Promise<void> {
  const owner = { partition: PARTITION, owner: 'node-a', ttlMs: 10, commitId: 'fence' };
  const lease = await store.acquireLease(owner);
  if (lease.kind !== 'acquired') throw new Error('the lease is held');
  const { epoch } = lease;
  let { seq } = lease;
  const commit = async (content: Partial<Parameters<typeof part>[0]>): Promise<void> => {
    const next = part({ ...content, partition: PARTITION, epoch, seq: ++seq });
    const result = await store.append({ commitId: `commit-${seq}`, parts: [next] });
    if (result.kind !== 'committed') throw new Error(result.kind);
  };
  const idAt = (ms: number, n: number) => ({ ms, partition: PARTITION, seq: n });

  // One segment that is dropped, one that is sealed, and one that stays open.
  for (const [i, ms] of [MS - 2 * DAY_MS, MS - DAY_MS].entries()) {
    const run = runRow(idAt(ms, i + 1));
    await commit({ runs: [run], ends: [endRow(run)] });
    await store.appendLogs([logLine(run.id)]);
  }
  const [dropped, sealed] = await store.listSegments();
  for (const segment of [dropped, sealed]) await store.sealSegment(segment?.fromMs ?? 0);
  await store.dropSegment(dropped?.fromMs ?? 0);

  const single = runRow(idAt(MS, 10), { keys: ['order-1'] });
  const consecutive = [11, 12, 13].map((n) => runRow(idAt(MS, n)));
  const large = runRow(idAt(MS, 14), { tenant: 'other', input: new Uint8Array(5_000).fill(7) });
  const bare = runRow(idAt(MS, 15), { input: null, head: '' });
  await commit({ runs: [single, ...consecutive, large, bare], parked: [parkedRow(bare)] });
  await commit({ ends: [endRow(single), ...consecutive.map((run) => endRow(run))] });
  await store.appendLogs([0, 1].map((number) => logLine(single.id, { number })));
  await commit({ aliases: [{ tenant: 'acme', key: 'order-2', run: single.id }] });

  for (const kind of ['batch', 'events', 'message', 'submission'] as const) {
    const key = kind === 'submission' ? 'order-3' : null;
    await store.putInbox(inboxEntry(`entry-${kind}`, { kind, key }));
  }
  const job = { tenant: 'acme', kind: 'job', name: 'report', author: 'ann' };
  await store.putDefinition({ ...job, body: '{"v":1}', expectedVersion: 0 });
  await store.putDefinition({ ...job, body: '{"v":2}', expectedVersion: 1 });
  await store.deleteDefinition({ ...job, expectedVersion: 2 });
  for (const target of ['job:a', 'job:b']) await store.appendAudit(auditEntry({ target }));
  for (const at of [seq - 1, seq]) {
    const chunks = [bytes(`chunk of ${at}`), new Uint8Array([0, 255])];
    await store.writeCheckpoint({ partition: PARTITION, epoch, seq: at, chunks });
  }
  const place = { kind: 'blob', key: 'blob-1', partition: null, tenant: 'acme' } as const;
  await store.setAside({ ...place, error: 'the blob is missing', bytes: bytes('{}') });
  await store.setStopped({ partition: 2, error: 'a group is damaged' });
  await store.beat({ node: 'node-a', address: 'http://a', ttlMs: 10, leases: [] });
  await store.releaseLease({ partition: PARTITION, owner: 'node-a', epoch });
}

/** The rows are read through the methods of the store, and new ones are written beside them. */
export async function expectUsable(store: GoldenStore, expected: unknown): Promise<void> {
  expect(await contentsOf(store)).toEqual(expected);
  expect(await store.listDamagedRows({ after: null, limit: 9 })).toMatchObject([{ key: 'blob-1' }]);
  expect(await store.listStopped()).toMatchObject([{ partition: 2 }]);
  const listed = await store.listRuns({ tenant: 'acme', before: null, limit: 99 });
  expect(listed.map(({ run }) => run.id.seq)).toEqual([15, 13, 12, 11, 10, 2]);
  expect(await store.readCheckpoint(PARTITION)).toMatchObject({ seq: 6 });
  expect(await store.readGroups({ partition: PARTITION, afterSeq: 0, limit: 99 })).toHaveLength(6);
  const parked = { partition: PARTITION, lane: 'P1/acme', after: null, upTo: MS, limit: 9 };
  expect((await store.readParked(parked)).runs).toHaveLength(1);
  const request = { partition: PARTITION, owner: 'node-b', ttlMs: 1_000, commitId: 'take-over' };
  const lease = await store.acquireLease(request);
  if (lease.kind !== 'acquired') throw new Error('the lease is held');
  expect(lease).toMatchObject({ epoch: 2 });
  const run = runRow({ ms: MS, partition: PARTITION, seq: 20 }, { keys: ['order-3'] });
  const next = part({ ...lease, partition: PARTITION, seq: lease.seq + 1, runs: [run] });
  const parts = [{ ...next, inboxTaken: ['entry-submission'] }];
  expect(await store.append({ commitId: 'next', parts })).toEqual({ kind: 'committed' });
  expect(await store.readInbox({ partitions: [PARTITION], limit: 9 })).toHaveLength(3);
  expect(await store.appendAudit(auditEntry())).toMatchObject({ number: 3 });
}
