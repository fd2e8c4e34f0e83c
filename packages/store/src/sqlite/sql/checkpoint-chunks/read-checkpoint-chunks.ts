/** A range of the primary key, in its order. */
export const readCheckpointChunks = `
SELECT bytes FROM checkpoint_chunks WHERE partition = ? ORDER BY number`;
