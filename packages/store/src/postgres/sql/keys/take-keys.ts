import { sql } from '../statement.ts';

/**
 * As `insertKeys`, for a commit that takes inbox entries or claims keys. A key that one of these entries
 * reserves is taken over from it, and a claim of the run that has the key already changes nothing.
 * Any other key changes no row; the count then falls short, and the division refuses the commit.
 */
export const takeKeys = sql(
  'take_keys',
  (s) => `
with taken as (
  insert into ${s}.keys as held (tenant, key, run, checksum, at_ms)
  select * from unnest($1::text[], $2::text[], $3::uuid[], $4::int[], $5::bigint[])
    as k(tenant, key, run, checksum, at_ms)
  order by k.tenant collate "C", k.key collate "C"
  on conflict (tenant, key) do update set
    run = excluded.run,
    entry = null,
    at_ms = case when held.entry is null then held.at_ms else excluded.at_ms end,
    checksum = case when held.entry is null then held.checksum else excluded.checksum end
  where held.entry = any($6::text[])
    or (held.entry is null and held.run = excluded.run and excluded.at_ms is not null)
  returning 1
)
select 1 / (count(*) = cardinality($1::text[]))::int from taken`,
);
