/** A search by primary key. */
export const READ_CHECKPOINT =
  'SELECT partition, epoch, seq, checksum FROM checkpoints WHERE partition = ?';

/** One row by primary key. */
export const WRITE_CHECKPOINT = `
INSERT OR REPLACE INTO checkpoints (partition, epoch, seq, checksum) VALUES (?, ?, ?, ?)`;

/** The checkpoint before, in the same form. */
export const READ_OLDER_CHECKPOINT =
  'SELECT partition, epoch, seq, checksum FROM older_checkpoints WHERE partition = ?';

export const KEEP_OLDER_CHECKPOINT = `
INSERT OR REPLACE INTO older_checkpoints (partition, epoch, seq, checksum)
SELECT partition, epoch, seq, checksum FROM checkpoints WHERE partition = ?`;

export const KEEP_OLDER_CHUNKS = `
INSERT INTO older_checkpoint_chunks (partition, number, bytes)
SELECT partition, number, bytes FROM checkpoint_chunks WHERE partition = ?`;
