/** One row by primary key; a lease that has run out already keeps its time. */
export const releaseLease = `
UPDATE leases SET expires_at_ms = min(expires_at_ms, ?)
WHERE partition = ? AND owner = ? AND epoch = ?`;
