import { AUDIT_COLUMNS } from '../columns.ts';

/** The primary key from the cursor on. */
export const readAudit = `
SELECT ${AUDIT_COLUMNS} FROM audit WHERE tenant = ? AND number > ? ORDER BY number LIMIT ?`;
