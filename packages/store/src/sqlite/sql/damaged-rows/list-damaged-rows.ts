/** A range of the primary key, in its order. */
export const listDamagedRows = `
SELECT kind, key, partition, tenant, at_ms, error, bytes FROM damaged_rows
WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`;
