const COLUMNS = 'tenant, number, at_ms, actor, ip, action, target, before, after, reason, hash';

/** The end of the tenant in the primary key. */
export const READ_AUDIT_HEAD = `
SELECT number, hash FROM audit WHERE tenant = ? ORDER BY number DESC LIMIT 1`;

export const INSERT_AUDIT = `
INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The primary key from the cursor on. */
export const READ_AUDIT = `
SELECT ${COLUMNS} FROM audit WHERE tenant = ? AND number > ? ORDER BY number LIMIT ?`;
