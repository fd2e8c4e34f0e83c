/** One row by primary key; the first error and its time stay. */
export const insertStopped = `
INSERT OR IGNORE INTO stopped_partitions (partition, at_ms, error) VALUES (?, ?, ?)`;
