import {
  AUDIT_START,
  type AuditEntry,
  type AuditRow,
  nextAuditRow,
  validateAuditEntry,
} from '../audit-chain.ts';
import { auditRowBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { auditOf, type MemoryState } from './state.ts';

export function appendAudit(state: MemoryState, entry: AuditEntry): AuditRow {
  validateAuditEntry(entry);
  const rows = auditOf(state, entry.tenant);
  const row = nextAuditRow(entry, rows.at(-1) ?? AUDIT_START, state.now());
  rows.push(row);
  return { ...row };
}

export function readAudit(
  state: MemoryState,
  query: Parameters<Store['readAudit']>[0],
): AuditRow[] {
  const { tenant, after, limit, bytes } = query;
  requireText('tenant', tenant);
  const start = Math.max(0, after);
  const page = (state.audit.get(tenant) ?? []).slice(start, start + limit);
  return withinBytes(page, bytes, auditRowBytes).map((row) => ({ ...row }));
}
