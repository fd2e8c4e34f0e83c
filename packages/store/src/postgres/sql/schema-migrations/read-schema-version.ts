import { sql } from '../statement.ts';

/**
 * The version, and whether the schema has the table in which stores kept their version before the base
 * schema of this program. A scan of a table with one row per migration.
 */
export const readSchemaVersion = sql(
  'read_schema_version',
  (s) => `
select coalesce(max(version), 0) as version, to_regclass('${s}.schema_version') is not null as is_earlier
from ${s}.schema_migrations`,
);
