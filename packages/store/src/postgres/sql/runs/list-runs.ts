import { sql } from '../statement.ts';

/**
 * Which runs there are before a cursor: backwards along the key (tenant, id), segment after segment
 * from the newest, down to an id. A row may reach beyond the cursor.
 */
export const listRuns = sql(
  'list_runs',
  (s) => `
select id, coalesce(count, 1) as count from ${s}.runs
where tenant = $1::text and id < $2::uuid and id >= $3::uuid
  and ($4::text is null or job = $4::text)
order by id desc
limit $5::bigint`,
);
