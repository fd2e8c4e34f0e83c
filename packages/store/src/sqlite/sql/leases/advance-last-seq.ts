/**
 * The fence of a commit (I9): compare and set by primary key. It changes one row exactly when the
 * epoch is the newest and the seq is the next, and no row otherwise.
 */
export const advanceLastSeq = `
UPDATE leases SET last_seq = ?1 WHERE partition = ?2 AND epoch = ?3 AND last_seq = ?1 - 1`;
