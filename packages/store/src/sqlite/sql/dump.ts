import { END_COLUMNS, inputColumns, RUN_COLUMNS } from './columns.ts';

/** Whole tables, for checkers and differential runs: never on a path that a user waits for. */
export const dumpCheckpoints = 'SELECT partition FROM checkpoints';
export const dumpKeys = 'SELECT tenant, key, run, entry, at_ms, checksum FROM keys';
export const dumpInbox =
  'SELECT id, partition, kind, tenant, job, priority, head, input, key, at_ms, checksum FROM inbox';
export const dumpDefinitions =
  'SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions';
export const dumpAudit = 'SELECT * FROM audit';

export const dumpGroups = (segment: number): string =>
  `SELECT partition, seq, epoch, commit_id, at_ms, fact_count, checksum, body FROM groups_${segment}`;
export const dumpRuns = (segment: number): string =>
  `SELECT ${RUN_COLUMNS}, ${inputColumns(true)} FROM runs_${segment} r`;
export const dumpEnds = (segment: number): string =>
  `SELECT e.id, e.tenant, ${END_COLUMNS} FROM ends_${segment} e`;
export const dumpParked = (segment: number): string =>
  `SELECT partition, lane, sort, id, tenant, checksum FROM parked_${segment}`;
export const dumpLogs = (segment: number): string => `SELECT * FROM logs_${segment}`;
