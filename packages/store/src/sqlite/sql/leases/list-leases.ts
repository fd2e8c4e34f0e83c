/** The whole of a small table, in order of its primary key. */
export const listLeases = `
SELECT partition, owner, epoch, expires_at_ms FROM leases ORDER BY partition`;
