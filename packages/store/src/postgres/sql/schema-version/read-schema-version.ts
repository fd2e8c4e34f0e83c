import { sql } from '../statement.ts';

/** One row per migration that has been applied. */
export const readSchemaVersion = sql(
  'read_schema_version',
  (s) => `select coalesce(max(version), 0) as version from ${s}.schema_version`,
);
