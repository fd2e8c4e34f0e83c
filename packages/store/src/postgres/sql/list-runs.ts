import { sql } from './statement.ts';

/**
 * Which runs there are before a cursor: backwards along the key (tenant, id), segment after segment
 * from the newest. A row may reach beyond the cursor.
 */
export const listRuns = sql(
  'list_runs',
  (s) => `
select id, coalesce(count, 1) as count from ${s}.runs
where tenant = $1::text and id < $2::uuid and ($3::text is null or job = $3::text)
order by id desc
limit $4::bigint`,
);
