/** One row by primary key; the first error and its time stay. */
export const INSERT_STOPPED = `
INSERT OR IGNORE INTO stopped_partitions (partition, at_ms, error) VALUES (?, ?, ?)`;

/** One row by primary key. */
export const DELETE_STOPPED = 'DELETE FROM stopped_partitions WHERE partition = ?';

/** One row for each stopped partition, in order of the primary key. */
export const LIST_STOPPED =
  'SELECT partition, at_ms, error FROM stopped_partitions ORDER BY partition';
