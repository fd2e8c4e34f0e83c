import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/** Along the primary key (tenant, kind, name, version), the last version of each name. */
export const listDefinitions = sql('list_definitions', (s) =>
  withinBytes({
    rows: `
  select * from (
    select distinct on (name) tenant, kind, name, version, body, author, at_ms, deleted, checksum
    from ${s}.definitions
    where tenant = $1::text and kind = $2::text and ($3::text is null or name > $3::text)
    order by name, version desc
  ) newest
  where $4::boolean or not deleted
  order by name
  limit $5::bigint`,
    order: 'name',
    bytes: 'octet_length(body)',
    bytesMax: '$6::bigint',
  }),
);
