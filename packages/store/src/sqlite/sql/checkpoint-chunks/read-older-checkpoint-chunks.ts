/** A range of the primary key, in its order. */
export const readOlderCheckpointChunks = `
SELECT bytes FROM older_checkpoint_chunks WHERE partition = ? ORDER BY number`;
