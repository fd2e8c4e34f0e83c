import { describe, expect, it } from 'vitest';
import { openFile } from './connection.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { readAudit } from './sql/audit/read-audit.ts';
import { readLastAudit } from './sql/audit/read-last-audit.ts';
import { getNewestDefinition } from './sql/definitions/get-newest-definition.ts';
import { listDefinitionChanges } from './sql/definitions/list-definition-changes.ts';
import { listDefinitionVersions } from './sql/definitions/list-definition-versions.ts';
import { listDefinitions } from './sql/definitions/list-definitions.ts';
import { createGroupSegment } from './sql/group-segments/create-group-segment.ts';
import { readGroups } from './sql/groups/read-groups.ts';
import { readInbox } from './sql/inbox/read-inbox.ts';
import { forgetKey } from './sql/keys/forget-key.ts';
import { readKey } from './sql/keys/read-key.ts';
import { readOldKeys } from './sql/keys/read-old-keys.ts';
import { advanceLastSeq } from './sql/leases/advance-last-seq.ts';
import { readLogs } from './sql/logs/read-logs.ts';
import { readParked } from './sql/parked/read-parked.ts';
import { getRun } from './sql/runs/get-run.ts';
import { listRuns } from './sql/runs/list-runs.ts';
import { readIsLive } from './sql/runs/read-is-live.ts';
import { readRun } from './sql/runs/read-run.ts';
import { createRunSegment } from './sql/segments/create-run-segment.ts';

/** Statements whose cost must not grow with the table: none may walk it, none may sort. */
const STATEMENTS: Record<string, string> = {
  advanceLastSeq,
  forgetKey,
  getNewestDefinition,
  listDefinitionChanges,
  listDefinitionVersions,
  readAudit,
  readLastAudit,
  readInbox,
  readKey,
  readOldKeys,
  getRun: getRun(1, true),
  readIsLive: readIsLive(1),
  readRun: readRun(1, false),
  readGroups: readGroups(1),
  readParked: readParked(1),
  readLogs: readLogs(1, { attempt: false, since: false }),
  'readLogs of an attempt': readLogs(1, { attempt: true, since: true }),
  listRuns: listRuns(1, { job: false }, true),
  'listRuns with filters': listRuns(1, { job: true, ended: false }, false),
  'listDefinitions, first page': listDefinitions({ isFirstPage: true, includeDeleted: false }),
  'listDefinitions, next page': listDefinitions({ isFirstPage: false, includeDeleted: true }),
};

describe('SQLite plans', () => {
  const connection = openFile(':memory:');
  const db = new Database(connection);
  migrate(db);
  db.exec(createRunSegment(1));
  db.exec(createGroupSegment(1));

  it.each(Object.entries(STATEMENTS))('search an index in order: %s', (_name, sql) => {
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    const details = plan.map((row) => String(row['detail']));
    expect(details.filter((detail) => /^SCAN|TEMP B-TREE/.test(detail))).toEqual([]);
    expect(details.some((detail) => detail.startsWith('SEARCH'))).toBe(true);
  });
});
