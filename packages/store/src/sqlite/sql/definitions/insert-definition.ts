/** One row at the end of its name in the primary key. */
export const insertDefinition = `
INSERT INTO definitions (tenant, kind, name, version, body, author, at_ms, deleted, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
