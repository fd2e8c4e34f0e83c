/** Made by hand, before any migration, because it says which of them have run. */
export const CREATE_SCHEMA_VERSION = `
CREATE TABLE IF NOT EXISTS schema_version (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT`;

export const READ_SCHEMA_VERSION = 'SELECT version FROM schema_version WHERE one = 1';

export const WRITE_SCHEMA_VERSION = `
INSERT INTO schema_version (one, version) VALUES (1, ?)
ON CONFLICT (one) DO UPDATE SET version = excluded.version`;
