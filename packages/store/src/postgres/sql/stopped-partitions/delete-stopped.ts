import { sql } from '../statement.ts';

/** One row by primary key. */
export const deleteStopped = sql(
  'delete_stopped',
  (s) => `delete from ${s}.stopped_partitions where partition = $1::int`,
);
