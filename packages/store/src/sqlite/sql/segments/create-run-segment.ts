/**
 * The tables of one run segment, named by its number.
 *
 * runs: a rowid table and its key beside it. Without a rowid the row would lie in the key's own
 * tree, where a commit touches a page per tenant: measured a fifth slower at 250 bytes of input.
 * ends: by id alone, which arrives nearly in order, so the row lies in the key's tree.
 * parked: the key is nearly the whole row.
 * logs: the key is how lines are found and how they arrive, so the row lies in the key's tree.
 *
 * No CHECK here, unlike elsewhere: with one, inserting ten rows per statement takes three times as
 * long, and one row per statement hardly longer, as if each statement kept a journal to undo itself.
 */
export function createRunSegment(segment: number): string {
  return `
CREATE TABLE runs_${segment} (
  tenant TEXT NOT NULL,
  id BLOB NOT NULL,
  job TEXT NOT NULL,
  job_version INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  head TEXT NOT NULL,
  keys TEXT NOT NULL,
  input_bytes INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  input_checksum INTEGER NOT NULL,
  input BLOB,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE TABLE ends_${segment} (
  id BLOB PRIMARY KEY NOT NULL,
  tenant TEXT NOT NULL,
  state TEXT NOT NULL,
  ended_at_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  output_checksum INTEGER NOT NULL,
  detail TEXT NOT NULL,
  output BLOB
) STRICT, WITHOUT ROWID;
CREATE TABLE parked_${segment} (
  partition INTEGER NOT NULL,
  lane TEXT NOT NULL,
  sort INTEGER NOT NULL,
  id BLOB NOT NULL,
  tenant TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (partition, lane, sort, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE logs_${segment} (
  run BLOB NOT NULL,
  task INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  stream TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, task, attempt, number)
) STRICT, WITHOUT ROWID`;
}
