/** One row by primary key; none when the lease is another owner's or another epoch's. */
export const renewLease = `
UPDATE leases SET expires_at_ms = ? WHERE partition = ? AND owner = ? AND epoch = ?`;
