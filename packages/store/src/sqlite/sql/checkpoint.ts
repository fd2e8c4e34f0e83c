/** A search by primary key. */
export const READ_CHECKPOINT = 'SELECT partition, epoch, seq FROM checkpoints WHERE partition = ?';

/** One row by primary key, never back to an earlier seq. */
export const WRITE_CHECKPOINT = `
INSERT INTO checkpoints (partition, epoch, seq) VALUES (?, ?, ?)
ON CONFLICT (partition) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq
WHERE excluded.seq > seq`;
