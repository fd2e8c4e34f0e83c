/** One row for each stopped partition, in order of the primary key. */
export const listStopped =
  'SELECT partition, at_ms, error FROM stopped_partitions ORDER BY partition';
