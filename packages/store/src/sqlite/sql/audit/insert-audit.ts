import { AUDIT_COLUMNS } from '../columns.ts';

/** One row at the end of the tenant in the primary key. */
export const insertAudit = `
INSERT INTO audit (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
