import { sql } from '../statement.ts';

/** One row by primary key. */
export const readDamagedRun = sql(
  'read_damaged_run',
  (s) => `
select 1 from ${s}.damaged_rows where kind = 'run' and key = $1::text and tenant = $2::text`,
);
