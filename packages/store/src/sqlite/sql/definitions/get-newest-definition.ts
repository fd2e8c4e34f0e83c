/** The end of one name in the primary key. */
export const getNewestDefinition = `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions
WHERE tenant = ? AND kind = ? AND name = ? ORDER BY version DESC LIMIT 1`;
