import { sql } from '../statement.ts';

/** One row by primary key. */
export const readInboxEntry = sql(
  'read_inbox_entry',
  (s) => `select * from ${s}.inbox where id = $1::text`,
);
