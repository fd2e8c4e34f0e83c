/**
 * The version, and whether the file has the table in which stores kept their version before the base
 * schema of this program. Reads one row per migration and the catalogue.
 */
export const readSchemaVersion = `
SELECT coalesce(max(version), 0) AS version,
  EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_version') AS is_earlier
FROM schema_migrations`;
