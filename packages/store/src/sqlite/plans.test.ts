import { describe, expect, it } from 'vitest';
import { openFile } from './connection.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { ADVANCE_PARTITION } from './sql/advance-partition.ts';
import { READ_AUDIT, READ_AUDIT_HEAD } from './sql/audit.ts';
import { createGroupSegment } from './sql/create-group-segment.ts';
import { createRunSegment } from './sql/create-run-segment.ts';
import { FORGET_KEY, READ_OLD_KEYS, readIsLive } from './sql/forget-keys.ts';
import { GET_NEWEST_DEFINITION } from './sql/get-definition.ts';
import { getRun } from './sql/get-run.ts';
import { LIST_DEFINITION_CHANGES } from './sql/list-definition-changes.ts';
import { LIST_DEFINITION_VERSIONS } from './sql/list-definition-versions.ts';
import { listDefinitions } from './sql/list-definitions.ts';
import { listRuns } from './sql/list-runs.ts';
import { readGroups } from './sql/read-groups.ts';
import { READ_INBOX } from './sql/read-inbox.ts';
import { READ_KEY } from './sql/read-key.ts';
import { readLogs } from './sql/read-logs.ts';
import { readParked } from './sql/read-parked.ts';
import { readRun } from './sql/read-run.ts';

/** Statements whose cost must not grow with the table: none may walk it, none may sort. */
const STATEMENTS: Record<string, string> = {
  ADVANCE_PARTITION,
  FORGET_KEY,
  GET_NEWEST_DEFINITION,
  LIST_DEFINITION_CHANGES,
  LIST_DEFINITION_VERSIONS,
  READ_AUDIT,
  READ_AUDIT_HEAD,
  READ_INBOX,
  READ_KEY,
  READ_OLD_KEYS,
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
