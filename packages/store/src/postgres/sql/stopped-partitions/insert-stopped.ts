import { CLOCK_MS, sql } from '../statement.ts';

/** One row by primary key; the first error and its time stay. */
export const insertStopped = sql(
  'insert_stopped',
  (s) => `
insert into ${s}.stopped_partitions (partition, at_ms, error)
values ($1::int, ${CLOCK_MS}, $2::text)
on conflict do nothing`,
);
