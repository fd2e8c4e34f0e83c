import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyAuditChain } from '../audit-chain.ts';
import { auditEntry, endRow, logLine, part, runRow } from '../conformance/builders.ts';
import { expectRefused } from '../conformance/world.ts';
import { createSqliteStore } from './create-sqlite-store.ts';
import { temporaryFile } from './testing/temporary-file.ts';

const NOW_MS = 1_700_000_000_000;
const SEGMENT_MS = 1_000;

/** Two connections to one file, as two processes would have them. */
async function setup() {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const clock = { nowMs: NOW_MS };
  const open = async () => {
    const now = () => clock.nowMs;
    const sizes = { segmentMs: SEGMENT_MS, groupSegmentSize: 4 };
    const store = await createSqliteStore({ path: file.path, now, ...sizes });
    onTestFinished(() => store.close());
    await store.migrate();
    return store;
  };
  return { one: await open(), two: await open(), clock };
}

describe('a file shared by two processes', () => {
  it('DUR-04 fences the old owner when the other one takes over', async () => {
    const { one, two, clock } = await setup();
    const request = { partition: 1, owner: 'one', ttlMs: 100, commitId: 'fence 1' };
    expect(await one.acquireLease(request)).toMatchObject({ kind: 'acquired', epoch: 1 });
    const rival = { ...request, owner: 'two', commitId: 'fence 2' };
    expect(await two.acquireLease(rival)).toMatchObject({ kind: 'held', owner: 'one' });
    clock.nowMs += 100;
    expect(await two.acquireLease(rival)).toMatchObject({ kind: 'acquired', epoch: 2, seq: 2 });
    const late = part({ partition: 1, epoch: 1, seq: 2 });
    expect(await one.append({ commitId: 'late', parts: [late] })).toEqual({
      kind: 'fenced',
      partitions: [1],
    });
    expect(await one.readGroup({ partition: 1, seq: 2 })).toMatchObject({ commitId: 'fence 2' });
  });

  it('shows segments that the other one makes, seals and drops', async () => {
    const { one, two, clock } = await setup();
    await one.acquireLease({ partition: 1, owner: 'one', ttlMs: 100, commitId: 'fence' });
    await one.ensureSegments({ untilMs: NOW_MS + SEGMENT_MS });
    const run = runRow({ ms: NOW_MS, partition: 1, seq: 1 });
    const next = part({ partition: 1, epoch: 1, seq: 2, runs: [run], ends: [endRow(run)] });
    expect(await two.append({ commitId: 'c', parts: [next] })).toEqual({ kind: 'committed' });
    expect(await one.getRun({ tenant: 'acme', id: run.id })).toMatchObject({ run });
    clock.nowMs += SEGMENT_MS;
    expect(await two.sealSegment(NOW_MS)).toEqual({ sealed: true, openRuns: 0 });
    const late = runRow({ ms: NOW_MS, partition: 1, seq: 2 });
    const refused = part({ partition: 1, epoch: 1, seq: 3, runs: [late] });
    await expectRefused(one.append({ commitId: 'late', parts: [refused] }), 'invalid');
    await two.dropSegment(NOW_MS);
    expect(await one.getRun({ tenant: 'acme', id: run.id })).toBeNull();
    expect(await one.listRuns({ tenant: 'acme', before: null, limit: 9 })).toEqual([]);
    expect(await one.snapshot()).toEqual(await two.snapshot());
    // A dropped segment stays dropped.
    await one.ensureSegments({ untilMs: NOW_MS + SEGMENT_MS });
    expect((await one.listSegments()).some(({ fromMs }) => fromMs === NOW_MS)).toBe(false);
  });

  it('SEC-03 has one chain of audit entries, whoever of the two adds one', async () => {
    const { one, two } = await setup();
    for (let i = 0; i < 6; i++) {
      await (i % 2 === 0 ? one : two).appendAudit(auditEntry({ target: `job:${i}` }));
    }
    const rows = await two.readAudit({ tenant: 'acme', after: 0, limit: 9 });
    expect(rows.map(({ target }) => target)).toEqual([0, 1, 2, 3, 4, 5].map((i) => `job:${i}`));
    expect(verifyAuditChain(rows)).toBeNull();
  });

  it('takes logs in a segment that the other one made, until that one seals it', async () => {
    const { one, two, clock } = await setup();
    const run = { ms: NOW_MS, partition: 1, seq: 1 };
    await one.ensureSegments({ untilMs: NOW_MS });
    await two.appendLogs([logLine(run)]);
    clock.nowMs += SEGMENT_MS;
    expect(await one.sealSegment(NOW_MS)).toEqual({ sealed: true, openRuns: 0 });
    await two.appendLogs([logLine(run, { number: 1 })]);
    const query = { tenant: 'acme', run, after: null, limit: 9 };
    expect(await one.readLogs(query)).toEqual([logLine(run)]);
    await one.dropSegment(NOW_MS);
    expect(await two.readLogs(query)).toEqual([]);
  });

  it('goes on numbering where the other one stopped, over dropped groups as well', async () => {
    const { one, two } = await setup();
    await one.acquireLease({ partition: 1, owner: 'one', ttlMs: 100, commitId: 'fence' });
    for (let seq = 2; seq <= 9; seq++) {
      const store = seq % 2 === 0 ? one : two;
      const next = part({ partition: 1, epoch: 1, seq, atMs: NOW_MS });
      expect(await store.append({ commitId: `${seq}`, parts: [next] })).toEqual({
        kind: 'committed',
      });
    }
    await one.writeCheckpoint({ partition: 1, epoch: 1, seq: 9, chunks: [] });
    expect(await two.dropGroupsBefore({ beforeMs: NOW_MS + 1 })).toBe(3);
    expect(await one.readGroups({ partition: 1, afterSeq: 0, limit: 9 })).toEqual([]);
    const next = part({ partition: 1, epoch: 1, seq: 10 });
    expect(await one.append({ commitId: '10', parts: [next] })).toEqual({ kind: 'committed' });
    expect(await two.readGroup({ partition: 1, seq: 10 })).toMatchObject({ commitId: '10' });
  });
});
