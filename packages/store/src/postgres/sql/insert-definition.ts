import { CLOCK_MS, sql } from './statement.ts';

/**
 * Compare and append. The newest version is found at the end of the primary key; the next one is
 * inserted only if that is the version the author saw. Two authors at once collide at the primary
 * key: the loser asks again and is told the winner's version.
 * `$6` is null for a change that keeps the body, which needs a version to keep it from.
 */
export const insertDefinition = sql(
  'insert_definition',
  (s) => `
with current as materialized (
  select version, body from ${s}.definitions
  where tenant = $1::text and kind = $2::text and name = $3::text
  order by version desc limit 1
),
written as (
  insert into ${s}.definitions (tenant, kind, name, version, at_ms, deleted, author, body)
  select $1::text, $2::text, $3::text, $4::int + 1, ${CLOCK_MS}, $7::boolean, $5::text,
    coalesce($6::text, (select body from current))
  where coalesce((select version from current), 0) = $4::int
    and ($6::text is not null or exists (select from current))
  returning version
)
select coalesce((select version from current), 0) as current_version,
  (select version from written) as written_version`,
);
