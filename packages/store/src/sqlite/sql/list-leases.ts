/** The whole of a small table, in order of its primary key. */
export const LIST_LEASES = `
SELECT partition, owner, epoch, expires_at_ms FROM partitions ORDER BY partition`;
