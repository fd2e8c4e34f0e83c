import { sql } from '../statement.ts';

/** One probe of the primary key (tenant, key) per requested key. */
export const readKey = sql(
  'read_key',
  (s) => `
select requested.tenant, requested.key, held.run, held.entry, held.at_ms, held.checksum
from unnest($1::text[], $2::text[]) as requested(tenant, key)
cross join lateral (
  select run, entry, at_ms, checksum from ${s}.keys where tenant = requested.tenant and key = requested.key offset 0
) held`,
);
