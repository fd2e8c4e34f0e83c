/** One row by primary key. */
export const deleteStopped = 'DELETE FROM stopped_partitions WHERE partition = ?';
