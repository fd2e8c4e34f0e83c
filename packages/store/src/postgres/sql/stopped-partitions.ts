import { CLOCK_MS, sql } from './statement.ts';

/** One row by primary key; the first error and its time stay. */
export const insertStopped = sql(
  'insert_stopped',
  (s) => `
insert into ${s}.stopped_partitions (partition, at_ms, error)
values ($1::int, ${CLOCK_MS}, $2::text)
on conflict do nothing`,
);

/** One row by primary key. */
export const deleteStopped = sql(
  'delete_stopped',
  (s) => `delete from ${s}.stopped_partitions where partition = $1::int`,
);

/** One row for each stopped partition. */
export const listStopped = sql(
  'list_stopped',
  (s) => `select partition, at_ms, error from ${s}.stopped_partitions order by partition`,
);
