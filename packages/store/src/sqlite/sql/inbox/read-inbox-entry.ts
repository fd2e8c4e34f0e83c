/** One row by primary key. */
export const readInboxEntry = `
SELECT id, partition, kind, tenant, job, priority, head, input, key, at_ms, checksum FROM inbox WHERE id = ?`;
