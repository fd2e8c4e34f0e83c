import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/** Along the index of changes (kind, at_ms, tenant, name, version), in its order. */
export const listDefinitionChanges = sql('list_definition_changes', (s) =>
  withinBytes({
    rows: `
  select tenant, kind, name, version, body, author, at_ms, deleted, checksum
  from ${s}.definitions
  where kind = $1::text
    and (at_ms, tenant, name, version) > ($2::bigint, $3::text, $4::text, $5::int)
  order by at_ms, tenant, name, version
  limit $6::bigint`,
    order: 'at_ms, tenant, name, version',
    bytes: 'octet_length(body)',
    bytesMax: '$7::bigint',
  }),
);
