import { AuditEntry, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { type AuditRow, auditRowBytes, readOnePage } from '@signalbox/store';
import { auditView } from '../../audit/store-audit.ts';
import { type Route, route } from '../route.ts';

export const auditRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/audit',
    role: 'admin',
    everyTenant: true,
    summary: 'List audit entries, oldest first; the hash of an entry covers the previous entry',
    query: Type.Object(
      {
        after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(AuditEntry) },
    handler: async ({ context, caller, query }) => {
      const { after = 0, limit = 100 } = query;
      const { rows, last } = await readOnePage<AuditRow>({
        limit,
        bytesOf: auditRowBytes,
        read: (limits) => context.store.readAudit({ tenant: caller.tenant, after, ...limits }),
      });
      const next = last === null ? {} : { next: String(last.number) };
      return { items: rows.map(auditView), ...next };
    },
  }),
];
