/** A search by primary key. */
export const READ_PARTITION = `
SELECT partition, owner, epoch, expires_at_ms, last_seq FROM partitions WHERE partition = ?`;
