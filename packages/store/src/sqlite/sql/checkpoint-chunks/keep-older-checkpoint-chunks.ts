/** The chunks of the checkpoint that is being replaced: a range of the primary key. */
export const keepOlderCheckpointChunks = `
INSERT INTO older_checkpoint_chunks (partition, number, body)
SELECT partition, number, body FROM checkpoint_chunks WHERE partition = ?`;
