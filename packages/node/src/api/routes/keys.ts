import type { IncomingHttpHeaders } from 'node:http';
import { Cursor, instantMs, Key, NewKey, PLATFORM, pageOf, rangeText } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { Caller } from '../../auth/caller.ts';
import { keyView } from '../../auth/keys.ts';
import { ApiError } from '../../errors/api-error.ts';
import { paged } from '../../operations/paged.ts';
import { type Route, route } from '../route.ts';

const closed = { additionalProperties: false } as const;

interface KeysQuery {
  readonly auth: Authenticator;
  readonly tenants: readonly string[];
  readonly after?: string;
  readonly limit?: number;
}

const listKeys = paged(
  'keys',
  async (_context, _caller, { auth, tenants, after, limit = 100 }: KeysQuery) => {
    const keys = await auth.keys.list({ tenants, after: after ?? null, limit });
    const last = keys.at(-1);
    const more = last !== undefined && keys.length === limit;
    return { items: keys.map(keyView), ...(more ? { next: last.id } : {}) };
  },
  ({ tenants }) => ({ tenants }),
);

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
        after: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      closed,
    ),
    response: { 200: pageOf(Key) },
    handler: ({ context, auth, caller, query, headers }) =>
      listKeys(context, caller, { ...query, auth, tenants: tenantsOf(caller, headers) }),
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
      const made = await auth.keys.create({
        tenant,
        role,
        note: text,
        expiresAt: expiresAt === null ? null : expiryOf(expiresAt),
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
      // A platform key that names no tenant acts on `default`, but its own keys are not that tenant's to read.
      note.tenant = key.tenant;
      note.after = JSON.stringify(keyView(key));
      return keyView(key);
    },
  }),
];

/** As it is shown: a date is its midnight. */
function expiryOf(expiresAt: string): string {
  const at = instantMs(expiresAt);
  if (at === null) {
    throw new ApiError('invalid', `must be ${rangeText('instant')}`, { field: 'expiresAt' });
  }
  if (at > Date.now()) return new Date(at).toISOString();
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
