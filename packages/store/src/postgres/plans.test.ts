import { beforeAll, expect, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { endRow, logLine, parkedRow, part, runRow } from '../conformance/builders.ts';
import { insertAudit } from './sql/audit/insert-audit.ts';
import { readAudit } from './sql/audit/read-audit.ts';
import { getEnd } from './sql/ends/get-end.ts';
import { readEnded } from './sql/ends/read-ended.ts';
import { readEnds } from './sql/ends/read-ends.ts';
import { refuseCoveredEnds } from './sql/ends/refuse-covered-ends.ts';
import { refuseEndsInBlocks } from './sql/ends/refuse-ends-in-blocks.ts';
import { insertGroup } from './sql/groups/insert-group.ts';
import { readGroup } from './sql/groups/read-group.ts';
import { readGroups } from './sql/groups/read-groups.ts';
import { deleteInbox } from './sql/inbox/delete-inbox.ts';
import { readInbox } from './sql/inbox/read-inbox.ts';
import { readInboxEntry } from './sql/inbox/read-inbox-entry.ts';
import { forgetKeys } from './sql/keys/forget-keys.ts';
import { readKey } from './sql/keys/read-key.ts';
import { takeKeys } from './sql/keys/take-keys.ts';
import { readLeaseEnds } from './sql/leases/read-lease-ends.ts';
import { insertLogs } from './sql/logs/insert-logs.ts';
import { readLogs } from './sql/logs/read-logs.ts';
import { readParked } from './sql/parked/read-parked.ts';
import { getRun } from './sql/runs/get-run.ts';
import { listRuns } from './sql/runs/list-runs.ts';
import { readRunLists } from './sql/runs/read-run-lists.ts';
import { readListedRuns, readRuns } from './sql/runs/read-runs.ts';
import { refuseCoveredRuns } from './sql/runs/refuse-covered-runs.ts';
import type { Sql } from './sql/statement.ts';
import { connectTo, execute, openStore } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';
const SEGMENT_MS = 1_000;
const SEGMENTS = 4;
const RUNS_PER_SEGMENT = 3_000;

/**
 * Plans are looked at over filled segments and empty ones, with the settings of the guards that
 * stand before each statement.
 */
describePostgres('plans', () => {
  let schema = '';

  beforeAll(async () => {
    const store = await openStore({ url, segmentMs: SEGMENT_MS, groupSegmentSize: 1_000 });
    schema = store.schema;
    const nowMs = await store.now();
    const startMs = nowMs - (nowMs % SEGMENT_MS);
    await store.ensureSegments({ untilMs: startMs + SEGMENTS * SEGMENT_MS });
    const request = { partition: 1, owner: 'a', ttlMs: 600_000, commitId: 'fence' };
    const lease = await store.acquireLease(request);
    if (lease.kind !== 'acquired') throw new Error('held');
    for (let segment = 0; segment < SEGMENTS; segment++) {
      const runs = Array.from({ length: RUNS_PER_SEGMENT }, (_, i) => {
        const ms = startMs + segment * SEGMENT_MS + (i % SEGMENT_MS);
        const key = `k ${segment} ${i}`;
        return runRow({ ms, partition: 1, seq: i }, { tenant: `t${i % 7}`, keys: [key] });
      });
      const ends = runs.filter((_, i) => i % 2 === 0).map((run) => endRow(run));
      const parked = runs.map((run) => parkedRow(run));
      const { epoch, seq } = lease;
      const next = part({ partition: 1, epoch, seq: seq + 1 + segment, runs, ends, parked });
      await store.append({ commitId: `segment ${segment}`, parts: [next] });
      await store.appendLogs(runs.map(({ id, tenant }) => logLine(id, { tenant })));
    }
    await store.close();
    // More groups and inbox entries than are worth a scan, without their weight in commits.
    await execute(
      url,
      `insert into ${schema}.groups
        select seq, 1, 0, 7, 1, 0, 'x', '' from generate_series(1, 1999) as seq;
      insert into ${schema}.inbox
        select i::text, i, i % 5, 0, 0, 'submission', 't', 'j', '' from generate_series(1, 5000) as i;
      insert into ${schema}.leases
        select p, 1, 0, 0, 'a' from generate_series(100, 4000) as p;
      insert into ${schema}.audit
        select i, 0, 't' || i % 5, '', '', '', '', null, null, '', '' from generate_series(1, 5000) as i;
      analyze`,
    );
  }, 60_000);

  /** The plan that a prepared statement settles on: it knows none of the values. */
  async function planOf(sql: Sql): Promise<string> {
    const client = await connectTo(url);
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query(`explain (generic_plan, costs off) ${sql(schema).text}`);
    await client.end();
    return rows.map((row) => row['QUERY PLAN'] as string).join('\n');
  }

  it.each([
    ['readParked', readParked, ['parked_\\d+_pkey']],
    ['getRun', getRun, ['Scan Backward using runs_\\d+_pkey']],
    ['getRun (its end)', getEnd, ['Scan Backward using ends_\\d+_pkey']],
    ['readRuns', readRuns, ['Scan Backward using runs_\\d+_pkey', 'Scan using runs_\\d+_pkey']],
    ['readParked (runs)', readRunLists, ['Scan Backward using runs_\\d+_pkey']],
    ['listRuns', listRuns, ['Scan Backward using runs_\\d+_pkey']],
    ['listRuns (runs)', readListedRuns, ['Scan Backward using runs_\\d+_pkey']],
    ['listRuns (ends)', readEnds, ['Scan Backward using ends_\\d+_pkey']],
    ['readParked (ends)', readEnded, ['Scan Backward using ends_\\d+_pkey']],
    ['append (row blocks of runs)', refuseCoveredRuns, ['Scan Backward using runs_\\d+_pkey']],
    ['append (ends)', refuseEndsInBlocks, ['Scan Backward using ends_\\d+_pkey']],
    ['append (row blocks of ends)', refuseCoveredEnds, ['Scan Backward using ends_\\d+_pkey']],
    ['readKeys', readKey, ['keys_pkey']],
    [
      'forgetKeys',
      forgetKeys,
      ['keys_by_run', 'runs_\\d+_pkey', 'ends_\\d+_pkey', 'Tid Scan on keys'],
    ],
    ['readInbox', readInbox, ['inbox_by_partition']],
    ['readInboxEntry', readInboxEntry, ['inbox_pkey']],
    ['append (inbox)', deleteInbox, ['inbox_pkey', 'keys_pkey', 'Tid Scan on keys']],
    ['append (keys of entries)', takeKeys, ['Conflict Arbiter Indexes: keys_pkey']],
    ['readGroup', readGroup, ['groups_\\d+_pkey']],
    ['readGroups', readGroups, ['groups_\\d+_pkey']],
    ['append', insertGroup, ['leases_pkey', 'groups_\\d+_pkey', 'voided_pkey']],
    ['appendLogs', insertLogs, ['segments_pkey']],
    ['readLogs', readLogs, ['Index Scan using logs_\\d+_pkey', 'ROW\\(task, attempt, number\\) >']],
    ['appendAudit', insertAudit, ['Scan Backward using audit_pkey']],
    ['readAudit', readAudit, ['audit_pkey']],
    ['readLeaseEnds', readLeaseEnds, ['groups_\\d+_pkey']],
  ] as const)('PRF-18 of %s go along the indexes', async (_name, sql, indexes) => {
    const plan = await planOf(sql);
    for (const index of indexes) expect(plan).toMatch(new RegExp(index));
    expect(plan).not.toMatch(/Seq Scan/);
    expect(plan).not.toMatch(/hashed SubPlan/);
    expect(plan).not.toMatch(/Hash Join|Merge Join/);
  });
});
