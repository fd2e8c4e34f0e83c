import { sql } from './statement.ts';

/**
 * A page along the key (partition, lane, sort, id), merged over the segments, then one probe of
 * the run and one of its end per row. Ended runs come back without their columns: they move the
 * cursor. The page is cut before the probes, so a lane full of ended runs is passed in bounded
 * steps.
 *
 * The answer is one row that holds each column of the page as one list: a long backlog is read at
 * the rate at which it drains, and to take a thousand rows of nine values apart costs the node
 * more than to run the tasks.
 */
export const readParked = sql(
  'read_parked',
  (s) => `
with page as materialized (
  select sort, id, tenant from ${s}.parked
  where partition = $1::int and lane = $2::text
    and (sort, id) > ($3::bigint, $4::uuid) and sort <= $5::bigint
  order by sort, id
  limit $6::bigint
)
select
  string_agg(uuid_send(p.id), ''::bytea) as ids,
  to_json(array_agg(p.sort)) as sorts,
  to_json(array_agg(p.tenant)) as tenants,
  to_json(array_agg(p.job)) as jobs,
  to_json(array_agg(p.job_version)) as job_versions,
  to_json(array_agg(p.class)) as classes,
  to_json(array_agg(p.head)) as heads,
  to_json(array_agg(p.keys)) as keys,
  to_json(array_agg(p.input_bytes)) as input_bytes,
  to_json(array_agg(length(p.input))) as input_lengths,
  string_agg(p.input, ''::bytea) as inputs
from (
  select page.sort, page.id, r.tenant, r.job, r.job_version, r.class, r.head, r.keys,
    r.input_bytes, r.input
  from page
  left join lateral (
    select * from ${s}.runs
    where tenant = page.tenant and id = page.id
      and not exists (select from ${s}.ends e where e.id = page.id and e.tenant = page.tenant)
    offset 0
  ) r on true
  order by page.sort, page.id
) p`,
);
