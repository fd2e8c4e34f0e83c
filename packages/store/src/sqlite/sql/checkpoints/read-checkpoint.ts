/** A search by primary key. */
export const readCheckpoint =
  'SELECT partition, epoch, seq, checksum FROM checkpoints WHERE partition = ?';
