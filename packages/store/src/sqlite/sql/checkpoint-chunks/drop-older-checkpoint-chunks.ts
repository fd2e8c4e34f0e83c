/** A range of the primary key. */
export const dropOlderCheckpointChunks = 'DELETE FROM older_checkpoint_chunks WHERE partition = ?';
