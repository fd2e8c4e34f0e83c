import { sql } from './statement.ts';

/** Along the primary key. */
export const listDefinitionVersions = sql(
  'list_definition_versions',
  (s) => `
select tenant, kind, name, version, body, author, at_ms, deleted
from ${s}.definitions
where tenant = $1::text and kind = $2::text and name = $3::text
order by version`,
);
