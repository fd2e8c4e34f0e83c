/** The end of one name in the primary key. */
export const GET_NEWEST_DEFINITION = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE tenant = ? AND kind = ? AND name = ? ORDER BY version DESC LIMIT 1`;

/** A search by primary key. */
export const GET_DEFINITION_VERSION = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE tenant = ? AND kind = ? AND name = ? AND version = ?`;
