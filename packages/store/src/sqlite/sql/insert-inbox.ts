/** One row by primary key; a repeat changes nothing. */
export const INSERT_INBOX = `
INSERT INTO inbox (id, partition, tenant, job, class, head, input, key, at_ms, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
