/** A range of the primary key, in its order. */
export const listDefinitionVersions = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE tenant = ? AND kind = ? AND name = ? AND version > ? ORDER BY version LIMIT ?`;
