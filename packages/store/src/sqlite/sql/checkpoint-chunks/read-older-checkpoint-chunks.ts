/** A range of the primary key, in its order. */
export const readOlderCheckpointChunks = `
SELECT body FROM older_checkpoint_chunks WHERE partition = ? ORDER BY number`;
