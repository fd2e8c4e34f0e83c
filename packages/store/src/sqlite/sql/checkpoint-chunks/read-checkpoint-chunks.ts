/** A range of the primary key, in its order. */
export const readCheckpointChunks = `
SELECT body FROM checkpoint_chunks WHERE partition = ? ORDER BY number`;
