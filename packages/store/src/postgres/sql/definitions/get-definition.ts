import { sql } from '../statement.ts';

/** The given version, or the newest: one step back from the end of the primary key. */
export const getDefinition = sql(
  'get_definition',
  (s) => `
select tenant, kind, name, version, body, author, at_ms, deleted, checksum
from ${s}.definitions
where tenant = $1::text and kind = $2::text and name = $3::text
  and ($4::int is null or version = $4::int)
order by version desc limit 1`,
);
