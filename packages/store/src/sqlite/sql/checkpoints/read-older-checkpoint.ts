/** The checkpoint before, in the same form. */
export const readOlderCheckpoint =
  'SELECT partition, epoch, seq, checksum FROM older_checkpoints WHERE partition = ?';
