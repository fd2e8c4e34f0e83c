/** One row by primary key. */
export const readInboxEntry = `
SELECT id, partition, tenant, job, class, head, input, key, at_ms, checksum FROM inbox WHERE id = ?`;
