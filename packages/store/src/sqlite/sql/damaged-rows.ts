/** One row by primary key; a repeat changes nothing. */
export const INSERT_DAMAGED_ROW = `
INSERT OR IGNORE INTO damaged_rows (kind, key, partition, tenant, at_ms, error, bytes)
VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** A range of the primary key, in its order. */
export const LIST_DAMAGED_ROWS = `
SELECT kind, key, partition, tenant, at_ms, error, bytes FROM damaged_rows
WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`;

/** A scan of the keys that has to find what a damaged entry does not tell; there are few such entries. */
export const RELEASE_KEYS_OF_ENTRY = 'DELETE FROM keys WHERE inbox = ?';

/** A scan of one row for each partition. */
export const DELETE_CHECKPOINT = "DELETE FROM checkpoints WHERE partition || '/' || seq = ?";
export const DELETE_OLDER_CHECKPOINT =
  "DELETE FROM older_checkpoints WHERE partition || '/' || seq = ?";
