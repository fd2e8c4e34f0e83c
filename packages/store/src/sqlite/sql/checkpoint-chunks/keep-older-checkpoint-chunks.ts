/** The chunks of the checkpoint that is being replaced: a range of the primary key. */
export const keepOlderCheckpointChunks = `
INSERT INTO older_checkpoint_chunks (partition, number, bytes)
SELECT partition, number, bytes FROM checkpoint_chunks WHERE partition = ?`;
