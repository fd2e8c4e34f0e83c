import { AuditEntry, Cursor, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { listAudit } from '../../operations/index.ts';
import { type Route, route } from '../route.ts';

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
