/** A range of the index of changes, in its order. */
export const listDefinitionChanges = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE kind = ? AND (at_ms, tenant, name, version) > (?, ?, ?, ?)
ORDER BY at_ms, tenant, name, version LIMIT ?`;
