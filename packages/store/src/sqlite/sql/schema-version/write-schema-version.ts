export const writeSchemaVersion = `
INSERT INTO schema_version (one, version) VALUES (1, ?)
ON CONFLICT (one) DO UPDATE SET version = excluded.version`;
