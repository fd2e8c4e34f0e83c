/** A scan of one row for each partition. */
export const deleteCheckpoint = "DELETE FROM checkpoints WHERE partition || '/' || seq = ?";
