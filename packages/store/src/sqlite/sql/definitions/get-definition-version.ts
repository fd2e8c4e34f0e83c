/** A search by primary key. */
export const getDefinitionVersion = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE tenant = ? AND kind = ? AND name = ? AND version = ?`;
