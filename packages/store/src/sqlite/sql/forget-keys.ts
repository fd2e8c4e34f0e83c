/** A range of keys_by_run, which ends with the primary key, in its order. */
export const READ_OLD_KEYS = `
SELECT tenant, key, run, inbox, at_ms FROM keys
WHERE run < ? AND (run, tenant, key) > (?, ?, ?)
ORDER BY run, tenant, key LIMIT ?`;

/** A search by primary key in runs and another in ends. */
export function readIsLive(segment: number): string {
  return `
SELECT 1 FROM runs_${segment} r WHERE r.tenant = ? AND r.id = ?
AND NOT EXISTS (SELECT 1 FROM ends_${segment} e WHERE e.id = r.id AND e.tenant = r.tenant)`;
}

/** A search by primary key. */
export const FORGET_KEY = 'DELETE FROM keys WHERE tenant = ? AND key = ?';
