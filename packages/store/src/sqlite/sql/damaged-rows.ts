/** One row by primary key; a repeat changes nothing. */
export const INSERT_DAMAGED_ROW = `
INSERT OR IGNORE INTO damaged_rows (kind, key, partition, tenant, at_ms, error, bytes)
VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** A range of the primary key, in its order. */
export const LIST_DAMAGED_ROWS = `
SELECT kind, key, partition, tenant, at_ms, error, bytes FROM damaged_rows
WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`;

/** One row by primary key. */
export const READ_DAMAGED_ENTRY = "SELECT 1 FROM damaged_rows WHERE kind = 'inbox' AND key = ?";

export const READ_DAMAGED_RUN =
  "SELECT 1 FROM damaged_rows WHERE kind = 'run' AND key = ? AND tenant = ?";

/** One row by primary key; the row of nothing, all of them. */
export const FORGET_DAMAGED_ROW = 'DELETE FROM damaged_rows WHERE kind = ? AND key = ?';
export const FORGET_DAMAGED_ROWS = 'DELETE FROM damaged_rows';

/**
 * A scan of the keys that has to find what a damaged entry does not tell; there are few such entries. If
 * its id is damaged, its key names an entry that is not there.
 */
export const RELEASE_KEYS_OF_ENTRY = `
DELETE FROM keys WHERE inbox = ?
OR (inbox IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = keys.inbox))`;

/** A scan of one row for each partition. */
export const DELETE_CHECKPOINT = "DELETE FROM checkpoints WHERE partition || '/' || seq = ?";
export const DELETE_OLDER_CHECKPOINT =
  "DELETE FROM older_checkpoints WHERE partition || '/' || seq = ?";
