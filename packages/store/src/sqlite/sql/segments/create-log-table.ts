/**
 * The logs of one run segment. The key is how lines are found and how they arrive, so the row lies
 * in the key's own tree. "If not exists", because a file from before logs gets the table by a
 * migration, and a segment that is made later gets it with its other tables.
 */
export function createLogTable(segment: number): string {
  return `
CREATE TABLE IF NOT EXISTS logs_${segment} (
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
