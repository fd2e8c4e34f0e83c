import { CLOCK_MS, sql } from './statement.ts';

/**
 * Compare and append. The newest version is found at the end of the primary key; the next one is
 * inserted only if that is the version the author saw. Two authors at once collide at the primary
 * key: the loser asks again and is told the winner's version.
 * `$6` is null for a change that keeps the body of a version that is not there: nothing is written.
 * The time is added to the checksum here, because it is this server's.
 */
export const insertDefinition = sql(
  'insert_definition',
  (s) => `
with clock as materialized (select ${CLOCK_MS} as now_ms),
current as materialized (
  select version, body from ${s}.definitions
  where tenant = $1::text and kind = $2::text and name = $3::text
  order by version desc limit 1
),
written as (
  insert into ${s}.definitions (tenant, kind, name, version, at_ms, deleted, author, body, checksum)
  select $1::text, $2::text, $3::text, $4::int + 1, now_ms, $7::boolean, $5::text, $6::text,
    $8::bigint + now_ms
  from clock
  where coalesce((select version from current), 0) = $4::int
    and $6::text is not null
  returning version
)
select coalesce((select version from current), 0) as current_version,
  (select version from written) as written_version`,
);
