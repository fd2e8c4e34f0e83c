import { sql } from '../statement.ts';

/**
 * By primary key; locks the rows it deletes, which only the owner of their partition takes. A key
 * that such an entry still reserves goes with it, found by primary key and deleted by its place: a
 * join may read all keys.
 */
export const deleteInbox = sql(
  'delete_inbox',
  (s) => `
with gone as (
  delete from ${s}.inbox where id = any($1::text[]) returning id, tenant, key
)
delete from ${s}.keys where ctid = any (array(
  select held.place from gone cross join lateral (
    select ctid as place from ${s}.keys
    where tenant = gone.tenant and key = gone.key and entry = gone.id offset 0
  ) held
))`,
);
