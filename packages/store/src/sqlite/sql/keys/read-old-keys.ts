/** A range of keys_by_run, which ends with the primary key, in its order. */
export const readOldKeys = `
SELECT tenant, key, run, entry, at_ms FROM keys
WHERE run < ? AND (run, tenant, key) > (?, ?, ?)
ORDER BY run, tenant, key LIMIT ?`;
