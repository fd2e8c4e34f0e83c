import { AuditEntry, Cursor, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { type AuditRow, auditRowBytes, readOnePage } from '@signalbox/store';
import { auditView } from '../../operations/audit/store-audit.ts';
import { paged } from '../../operations/paged.ts';
import { type Route, route } from '../route.ts';

interface AuditQuery {
  readonly after?: string;
  readonly limit?: number;
}

const listAudit = paged('audit', async (context, { tenant }, query: AuditQuery) => {
  const { after = 0, limit = 100 } = query;
  const { rows, last } = await readOnePage<AuditRow>({
    limit,
    bytesOf: auditRowBytes,
    read: (limits) => context.store.readAudit({ tenant, after: Number(after), ...limits }),
  });
  const next = last === null ? {} : { next: String(last.number) };
  return { items: rows.map(auditView), ...next };
});

export const auditRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/audit',
    role: 'admin',
    everyTenant: true,
    summary: 'Lists audit entries, oldest first; the entries form a hash chain',
    query: Type.Object(
      {
        after: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(AuditEntry) },
    handler: ({ context, caller, query }) => listAudit(context, caller, query),
  }),
];
