/** One row by primary key. */
export const upsertNode = `
INSERT INTO nodes (node, address, expires_at_ms) VALUES (?, ?, ?)
ON CONFLICT (node) DO UPDATE SET
  address = excluded.address, expires_at_ms = excluded.expires_at_ms`;
