import { END_COLUMNS, RUN_COLUMNS } from './columns.ts';
import { sql } from './statement.ts';

/**
 * Backwards along the key (tenant, id), segment after segment from the newest, with one probe of
 * the ends per run; stops at the limit. A filter that matches rarely reads on until it is filled.
 */
export const listRuns = sql(
  'list_runs',
  (s) => `
select ${RUN_COLUMNS}, ${END_COLUMNS}
from ${s}.runs r
left join lateral (
  select * from ${s}.ends where id = r.id and tenant = r.tenant offset 0
) e on true
where r.tenant = $1::text and r.id < $2::uuid
  and ($3::text is null or r.job = $3::text)
  and ($4::boolean is null or (e.id is not null) = $4::boolean)
order by r.id desc
limit $5::bigint`,
);
