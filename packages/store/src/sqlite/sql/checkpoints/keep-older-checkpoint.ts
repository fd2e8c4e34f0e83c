/** The checkpoint that is being replaced becomes the older one; one row by primary key. */
export const keepOlderCheckpoint = `
INSERT OR REPLACE INTO older_checkpoints (partition, epoch, seq, checksum)
SELECT partition, epoch, seq, checksum FROM checkpoints WHERE partition = ?`;
