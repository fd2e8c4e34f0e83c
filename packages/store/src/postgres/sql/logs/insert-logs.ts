import { sql } from '../statement.ts';

/**
 * One probe of the segments and one insert into heap and key per line; see `insert-runs` for the
 * form. Lines whose segment is not open are left out. A segment that is sealed meanwhile refuses
 * the statement, and the next try leaves its lines out.
 */
export const insertLogs = sql(
  'insert_logs',
  (s) => `
insert into ${s}.logs (run, task, attempt, number, at_ms, tenant, stream, text)
select run, task, attempt, number, at_ms, tenant, stream, text
from (
  select unnest($1::uuid[]) as run, unnest($2::bigint[]) as run_ms, unnest($3::int[]) as task,
    unnest($4::int[]) as attempt, unnest($5::bigint[]) as number, unnest($6::bigint[]) as at_ms,
    unnest($7::text[]) as tenant, unnest($8::text[]) as stream, unnest($9::text[]) as text
) line
where (
  select state = 'open' and to_ms > line.run_ms from ${s}.segments
  where from_ms <= line.run_ms order by from_ms desc limit 1
)
on conflict do nothing`,
);
