import { sql } from '../statement.ts';

/** One row for each stopped partition. */
export const listStopped = sql(
  'list_stopped',
  (s) => `select partition, at_ms, error from ${s}.stopped_partitions order by partition`,
);
