import type { AuditEntry } from '@signalbox/protocol';
import { type AuditRow, auditRowBytes, readOnePage } from '@signalbox/store';
import { paged } from '../common/paged.ts';

interface AuditQuery {
  readonly after?: string;
  readonly limit?: number;
}

export const listAudit = paged('audit', async (context, { tenant }, query: AuditQuery) => {
  const { after = 0, limit = 100 } = query;
  const { rows, last } = await readOnePage<AuditRow>({
    limit,
    bytesOf: auditRowBytes,
    read: (limits) => context.store.readAudit({ tenant, after: Number(after), ...limits }),
  });
  const next = last === null ? {} : { next: String(last.number) };
  return { items: rows.map(auditView), ...next };
});

function auditView(row: AuditRow): AuditEntry {
  const { number, actor, ip, action, target, before, after, reason, hash } = row;
  const at = new Date(row.atMs).toISOString();
  return { number, at, actor, ip, action, target, before, after, reason, hash };
}
