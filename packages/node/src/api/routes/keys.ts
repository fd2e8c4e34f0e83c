import { Cursor, Key, NewKey, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { keyView } from '../../auth/keys.ts';
import { createKey, listKeys, revokeKey, visibleTenants } from '../../operations/index.ts';
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
        after: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      closed,
    ),
    response: { 200: pageOf(Key) },
    handler: ({ context, auth, caller, query, headers }) =>
      listKeys(context, caller, {
        ...query,
        keys: auth.keys,
        tenants: visibleTenants(caller, headers['signalbox-tenant']),
      }),
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
      const tenantNamed = headers['signalbox-tenant'];
      const created = await createKey(auth.keys, caller, { ...body, tenantNamed });
      const view = keyView(created.key);
      note.target = view.id;
      note.tenant = view.tenant;
      note.after = JSON.stringify(view);
      reply.code(201);
      return { ...view, secret: created.text };
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
      const tenants = visibleTenants(caller, headers['signalbox-tenant']);
      const key = await revokeKey(auth.keys, caller, { id: params.id, tenants });
      // A platform key that names no tenant acts on `default`, but that tenant must not read entries about platform keys.
      note.tenant = key.tenant;
      note.after = JSON.stringify(keyView(key));
      return keyView(key);
    },
  }),
];
