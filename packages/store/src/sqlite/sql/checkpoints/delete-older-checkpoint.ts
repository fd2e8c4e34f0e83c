/** A scan of one row for each partition. */
export const deleteOlderCheckpoint =
  "DELETE FROM older_checkpoints WHERE partition || '/' || seq = ?";
