/** A range of the primary key. */
export const dropCheckpointChunks = 'DELETE FROM checkpoint_chunks WHERE partition = ?';
