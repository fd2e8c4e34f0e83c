import type { IncomingHttpHeaders } from 'node:http';
import { Key, NewKey, PLATFORM, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { keyView } from '../../auth/keys.ts';
import { ApiError, type Caller } from '../../context.ts';
import { type Route, route } from '../route.ts';

const closed = { additionalProperties: false } as const;

export const keysRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/keys',
    role: 'admin',
    everyTenant: true,
    summary:
      'Lists the keys of the tenant, without secrets; with a platform key and no tenant, also platform and worker keys',
    query: Type.Object(
      {
        after: Type.Optional(Type.String({ maxLength: 64 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      closed,
    ),
    response: { 200: pageOf(Key) },
    handler: async ({ auth, caller, query, headers }) => {
      const { after = null, limit = 100 } = query;
      const keys = await auth.keys.list({ tenants: tenantsOf(caller, headers), after, limit });
      const last = keys.at(-1);
      const more = last !== undefined && keys.length === limit;
      return { items: keys.map(keyView), ...(more ? { next: last.id } : {}) };
    },
  }),
  route({
    method: 'POST',
    url: '/keys',
    role: 'admin',
    everyTenant: true,
    summary: 'Creates a key; only this response contains the secret',
    rules: [
      '`expiresAt` is in the future.',
      'Only platform keys create keys of the role `worker`.',
    ],
    body: NewKey,
    response: { 201: Key },
    audit: 'key.create',
    handler: async ({ auth, caller, body, headers, reply, note }) => {
      const { role, note: text = '', expiresAt = null } = body;
      const tenant = tenantOfNew(caller, role, headers['signalbox-tenant']);
      if (expiresAt !== null) checkExpiry(expiresAt);
      const made = await auth.keys.create({
        tenant,
        role,
        note: text,
        expiresAt,
        author: caller.key,
      });
      const view = keyView(made.key);
      note.target = view.id;
      note.tenant = tenant;
      note.after = JSON.stringify(view);
      reply.code(201);
      return { ...view, secret: made.text };
    },
  }),
  route({
    method: 'DELETE',
    url: '/keys/:id',
    role: 'admin',
    everyTenant: true,
    summary: 'Revokes a key, effective within five seconds',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    response: { 200: Key },
    errors: ['not_found'],
    audit: 'key.revoke',
    handler: async ({ auth, caller, params, headers, note }) => {
      const tenants = tenantsOf(caller, headers);
      const key = await auth.keys.revoke({ tenants, id: params.id, author: caller.key });
      if (key === null) throw new ApiError('not_found', 'there is no key with this id');
      note.after = JSON.stringify(keyView(key));
      return keyView(key);
    },
  }),
];

function checkExpiry(expiresAt: string): void {
  const at = Date.parse(expiresAt);
  // RFC 3339 has instants that no clock of ours reads, such as leap seconds: a key with one would never end.
  if (Number.isNaN(at)) {
    const message = 'must be a date and time in ISO 8601, such as 2030-01-31T23:59:59Z';
    throw new ApiError('invalid', message, { field: 'expiresAt' });
  }
  if (at > Date.now()) return;
  throw new ApiError('invalid', 'must be in the future', { field: 'expiresAt' });
}

/** The platform sees its own keys, workers' among them, beside those of the tenant, unless it names a tenant. */
function tenantsOf({ tenant, platform }: Caller, headers: IncomingHttpHeaders): readonly string[] {
  const isNamed = headers['signalbox-tenant'] !== undefined;
  return platform && !isNamed ? [tenant, PLATFORM] : [tenant];
}

/** Workers run tasks of every tenant, so their keys are the platform's to give. */
function tenantOfNew(caller: Caller, role: string, named: unknown): string {
  if (role !== 'worker') return caller.tenant;
  // Whoever names a tenant expects a key that is bound to it; a worker's key is not.
  if (caller.platform && named !== undefined && named !== PLATFORM) {
    const message =
      'worker keys belong to the platform, not to a tenant; send no Signalbox-Tenant header';
    throw new ApiError('invalid', message, { field: 'role' });
  }
  if (caller.platform) return PLATFORM;
  throw new ApiError('forbidden', 'creating a worker key needs a platform key with the role admin');
}
