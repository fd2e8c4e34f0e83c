/** The beginning of one partition in inbox_by_partition, in its order. */
export const readInbox = `
SELECT id, partition, kind, tenant, job, priority, head, input, key, at_ms, checksum FROM inbox
WHERE partition = ? ORDER BY at_ms, id LIMIT ?`;
