/** A range of the primary key, in its order. */
export const LIST_DEFINITION_VERSIONS = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE tenant = ? AND kind = ? AND name = ? AND version > ? ORDER BY version LIMIT ?`;
