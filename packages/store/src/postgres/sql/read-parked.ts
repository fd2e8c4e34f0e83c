import { RUN_COLUMNS } from './columns.ts';
import { sql } from './statement.ts';

/**
 * A page along the key (partition, lane, sort, id), merged over the segments, then one probe of
 * the run and one of its end per row. Ended runs come back without their row: they move the
 * cursor. The page is cut before the probes, so a lane full of ended runs is passed in bounded
 * steps.
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
select page.sort, page.id as parked_id, ${RUN_COLUMNS}
from page
left join lateral (
  select * from ${s}.runs
  where tenant = page.tenant and id = page.id
    and not exists (select from ${s}.ends e where e.id = page.id and e.tenant = page.tenant)
  offset 0
) r on true
order by page.sort, page.id`,
);
