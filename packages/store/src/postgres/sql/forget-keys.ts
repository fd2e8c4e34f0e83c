import { sql } from './statement.ts';

/**
 * The keys of the oldest runs, found along the index on the run and deleted by primary key. The
 * rows are locked in that order, and one that another pass has locked is left to it.
 */
export const forgetKeys = sql(
  'forget_keys',
  (s) => `
with old as materialized (
  select tenant, key from ${s}.keys where run < $1::uuid
  order by run, tenant, key limit $2::bigint
  for update skip locked
),
gone as (
  delete from ${s}.keys k using old where k.tenant = old.tenant and k.key = old.key returning 1
)
select count(*) as count from gone`,
);
