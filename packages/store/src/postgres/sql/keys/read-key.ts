import { sql } from '../statement.ts';

/** One probe of the primary key (tenant, key) per wanted key. */
export const readKey = sql(
  'read_key',
  (s) => `
select wanted.tenant, wanted.key, held.run, held.entry, held.at_ms, held.checksum
from unnest($1::text[], $2::text[]) as wanted(tenant, key)
cross join lateral (
  select run, entry, at_ms, checksum from ${s}.keys where tenant = wanted.tenant and key = wanted.key offset 0
) held`,
);
