import {
  AUDIT_START,
  type AuditEntry,
  type AuditLink,
  type AuditRow,
  nextAuditRow,
  validateAuditEntry,
} from '../audit-chain.ts';
import { auditRowBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import type { Context } from './context.ts';
import { toAuditRow } from './rows.ts';
import { insertAudit } from './sql/audit/insert-audit.ts';
import { readAudit as readAuditSql } from './sql/audit/read-audit.ts';
import { readLastAudit } from './sql/audit/read-last-audit.ts';

/** The write lock is held from reading the last entry on, so no other process writes in between. */
export function appendAudit({ db, now }: Context, entry: AuditEntry): AuditRow {
  validateAuditEntry(entry);
  return db.write(() => {
    const head = db.get(readLastAudit, entry.tenant) as AuditLink | undefined;
    const row = nextAuditRow(entry, head ?? AUDIT_START, now());
    const { tenant, number, atMs, actor, ip, action, target, before, after, reason, hash } = row;
    const stated = [actor, ip, action, target, before, after, reason] as const;
    db.run(insertAudit, tenant, number, atMs, ...stated, hash);
    return row;
  });
}

export function readAudit({ db }: Context, query: Parameters<Store['readAudit']>[0]): AuditRow[] {
  const { tenant, after, limit, bytes } = query;
  requireText('tenant', tenant);
  return db.read(() =>
    withinBytes(db.eachAs(toAuditRow, readAuditSql, tenant, after, limit), bytes, auditRowBytes),
  );
}
