/** One row by primary key; a repeat changes nothing. */
export const insertDamagedRow = `
INSERT OR IGNORE INTO damaged_rows (kind, key, partition, tenant, at_ms, error, bytes)
VALUES (?, ?, ?, ?, ?, ?, ?)`;
