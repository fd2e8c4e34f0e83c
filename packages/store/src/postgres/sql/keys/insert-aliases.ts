import { sql } from '../statement.ts';

/** Further names of runs, in the same order; a name that is taken keeps its run. */
export const insertAliases = sql(
  'insert_aliases',
  (s) => `
insert into ${s}.keys (tenant, key, run, at_ms, checksum)
select * from unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[], $5::int[])
  as k(tenant, key, run, at_ms, checksum)
order by k.tenant collate "C", k.key collate "C"
on conflict do nothing`,
);
