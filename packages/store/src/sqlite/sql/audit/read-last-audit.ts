/** The end of the tenant in the primary key. */
export const readLastAudit = `
SELECT number, hash FROM audit WHERE tenant = ? ORDER BY number DESC LIMIT 1`;
