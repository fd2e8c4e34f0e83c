import { sql } from './statement.ts';

/** By primary key; locks the rows it deletes, which only the owner of their partition takes. */
export const deleteInbox = sql(
  'delete_inbox',
  (s) => `delete from ${s}.inbox where id = any($1::text[])`,
);
