/** One row by primary key. */
export const writeCheckpoint = `
INSERT OR REPLACE INTO checkpoints (partition, epoch, seq, checksum) VALUES (?, ?, ?, ?)`;
