/** The whole of a small table, in order of its primary key. */
export const listNodes = `
SELECT node, address FROM nodes WHERE expires_at_ms > ? AND expires_at_ms <= ? ORDER BY node`;
