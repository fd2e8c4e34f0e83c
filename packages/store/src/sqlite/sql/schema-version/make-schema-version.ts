/** Made by hand, before any migration, because it says which of them have run. */
export const makeSchemaVersion = `
CREATE TABLE IF NOT EXISTS schema_version (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT`;
