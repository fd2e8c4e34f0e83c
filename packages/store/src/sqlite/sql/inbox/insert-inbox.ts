/** One row by primary key; a repeat changes nothing. */
export const insertInbox = `
INSERT INTO inbox (id, partition, kind, tenant, job, priority, head, input, key, at_ms, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
