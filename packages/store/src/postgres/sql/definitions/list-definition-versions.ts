import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/** Along the primary key. */
export const listDefinitionVersions = sql('list_definition_versions', (s) =>
  withinBytes({
    rows: `
  select tenant, kind, name, version, body, author, at_ms, deleted, checksum
  from ${s}.definitions
  where tenant = $1::text and kind = $2::text and name = $3::text and version > $4::int
  order by version
  limit $5::bigint`,
    order: 'version',
    bytes: 'octet_length(body)',
    bytesMax: '$6::bigint',
  }),
);
