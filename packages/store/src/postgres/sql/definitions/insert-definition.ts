import { CLOCK_MS, sql } from '../statement.ts';

/**
 * Compare and append. The newest version is found at the end of the primary key; the next one is
 * inserted only if that is the version the author saw. Two authors at once collide at the primary
 * key: the loser repeats the statement, which then returns the version of the winner.
 * `$6` is null for a change that keeps the body of a version that is not there: nothing is written.
 * The time is added to the checksum here, because it is this server's.
 */
export const insertDefinition = sql('insert_definition', (s) => insertSql(s, null));

/** Adds a live definition only if the tenant has fewer than `$9` others; needs `lockDefinitionCount` before it. */
export const insertCountedDefinition = sql('insert_counted_definition', (s) =>
  insertSql(
    s,
    `(select count(*)::int from (
    select distinct on (name) deleted from ${s}.definitions
    where tenant = $1::text and kind = $2::text and name <> $3::text
    order by name, version desc
  ) newest
  where not deleted)`,
  ),
);

function insertSql(s: string, count: string | null): string {
  return `
with clock as materialized (select ${CLOCK_MS} as now_ms),
current as materialized (
  select version, body, deleted from ${s}.definitions
  where tenant = $1::text and kind = $2::text and name = $3::text
  order by version desc limit 1
),
counted as materialized (select ${count ?? 'null::int'} as count),
written as (
  insert into ${s}.definitions (tenant, kind, name, version, at_ms, deleted, author, body, checksum)
  select $1::text, $2::text, $3::text, $4::int + 1, now_ms, $7::boolean, $5::text, $6::text,
    $8::bigint + now_ms
  from clock
  where coalesce((select version from current), 0) = $4::int
    and $6::text is not null${
      count === null
        ? ''
        : `
    and (
      $7::boolean or coalesce((select not deleted from current), false)
      or (select count from counted) < $9::int
    )`
    }
  returning version
)
select coalesce((select version from current), 0) as current_version,
  (select version from written) as written_version, (select count from counted) as count`;
}
