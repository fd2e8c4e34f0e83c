import { sql } from '../statement.ts';

/**
 * A page of the oldest keys along the index on the run, after the cursor. Each is looked up among
 * runs and ends by primary key, in the one segment that its run names, and goes unless its run lives.
 * The limits and the lock keep each look-up a probe, where a join may read the whole history. The
 * floor is the smallest first id of a row block that contains this run. Only
 * what goes is locked: a lock is a write, and keys that stay are seen by every pass. One that another
 * pass has locked is left to it. What is locked does not move, and is deleted by its place: a join
 * by key reads all keys for each page, because the planner does not know how few keys a page has.
 */
export const forgetKeys = sql(
  'forget_keys',
  (s) => `
with seen as materialized (
  select run, tenant, key,
    overlay(run::text placing '8000-000000000000' from 20)::uuid as floor
  from ${s}.keys
  where run < $1::uuid and (run, tenant, key) > ($2::uuid, $3::text, $4::text)
  order by run, tenant, key limit $5::bigint
),
old as materialized (
  select held.place
  from seen
  left join lateral (
    select coalesce(last, id) >= seen.run as is_there from ${s}.runs
    where tenant = seen.tenant and id >= seen.floor and id <= seen.run
    order by id desc limit 1
  ) r on true
  left join lateral (
    select coalesce(last, id) >= seen.run and tenant = seen.tenant as is_there from ${s}.ends
    where id >= seen.floor and id <= seen.run
    order by id desc limit 1
  ) e on true
  cross join lateral (
    select ctid as place from ${s}.keys
    where tenant = seen.tenant and key = seen.key and run = seen.run
      and entry is null and coalesce(at_ms < $6::bigint, true)
      and (r.is_there is not true or e.is_there)
    for update skip locked
  ) held
),
gone as (
  delete from ${s}.keys where ctid = any (array(select place from old)) returning 1
)
select (select count(*) from gone) as forgotten, last.run, last.tenant, last.key
from (values (1)) as one
left join lateral (
  select run, tenant, key from seen order by run, tenant, key offset $5::bigint - 1 limit 1
) last on true`,
);
