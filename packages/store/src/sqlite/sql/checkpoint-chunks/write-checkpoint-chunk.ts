/** One row at the end of the partition in the primary key. */
export const writeCheckpointChunk = `
INSERT INTO checkpoint_chunks (partition, number, body) VALUES (?, ?, ?)`;
