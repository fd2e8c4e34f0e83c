import { sql } from '../statement.ts';

/** One row by primary key, or with nulls all of them. */
export const forgetDamagedRows = sql(
  'forget_damaged_rows',
  (s) => `
delete from ${s}.damaged_rows
where $1::text is null or (kind = $1::text and key = $2::text)
returning 1`,
);
