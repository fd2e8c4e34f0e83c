import { sql } from '../statement.ts';

/** One row by primary key. */
export const readDamagedEntry = sql(
  'read_damaged_entry',
  (s) => `select 1 from ${s}.damaged_rows where kind = 'inbox' and key = $1::text`,
);
