/** A search by primary key. */
export const readLease = `
SELECT partition, owner, epoch, expires_at_ms, last_seq FROM leases WHERE partition = ?`;
