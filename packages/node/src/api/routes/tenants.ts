import { Cursor, Name, pageOf, Tenant, TenantDefinition } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { ApiError } from '../../errors/api-error.ts';
import { deleteTenant, getTenant, listTenants, putTenant } from '../../operations/index.ts';
import { expectedBy, tagOf } from '../etag.ts';
import { VERSION_HEADERS } from '../request-headers.ts';
import { type Route, route } from '../route.ts';

const Named = Type.Object({ name: Name });
const closed = { additionalProperties: false } as const;
const absent = () => new ApiError('not_found', 'there is no tenant with this name');
const unset = () =>
  new ApiError(
    'not_found',
    'the tenant has no definition: its weight is one, and it has no limits',
  );

export const tenantsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/tenants',
    role: 'admin',
    platform: true,
    everyTenant: true,
    summary: 'Lists the tenants that have a definition',
    query: Type.Object(
      {
        after: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      closed,
    ),
    response: { 200: pageOf(Tenant) },
    handler: ({ context, caller, query }) => listTenants(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/tenants/:name',
    role: 'viewer',
    everyTenant: true,
    summary:
      'Returns the weight and limits of a tenant, to its own keys and to platform keys. 404 if the tenant has no definition: weight one, no limits',
    params: Named,
    response: { 200: Tenant },
    versioned: true,
    errors: ['not_found'],
    handler: async ({ context, caller, params, reply }) => {
      const mayRead = caller.platform || caller.tenant === params.name;
      // Of others nothing is said, not even that nothing is set.
      if (!mayRead) throw absent();
      const tenant = await getTenant(context.store, params.name);
      if (tenant === null) throw unset();
      reply.header('etag', tagOf(tenant.version));
      return tenant;
    },
  }),
  route({
    method: 'PUT',
    url: '/tenants/:name',
    role: 'admin',
    platform: true,
    everyTenant: true,
    summary: 'Updates the weight and limits of a tenant; omitted fields return to their defaults',
    params: Named,
    body: TenantDefinition,
    reads: VERSION_HEADERS,
    response: { 200: Tenant, 201: Tenant },
    versioned: true,
    audit: 'tenant.update',
    handler: async ({ context, caller, params, body, headers, reply, note }) => {
      const { before, after } = await putTenant(context, {
        name: params.name,
        definition: body,
        expected: expectedBy(headers),
        author: caller.key,
      });
      if (before !== null) note.before = JSON.stringify(before.definition);
      note.after = JSON.stringify(after.definition);
      reply.code(before === null ? 201 : 200).header('etag', tagOf(after.version));
      return after;
    },
  }),
  route({
    method: 'DELETE',
    url: '/tenants/:name',
    role: 'admin',
    platform: true,
    everyTenant: true,
    summary: 'Deletes the definition of a tenant: weight one, no limits',
    params: Named,
    reads: VERSION_HEADERS,
    response: { 204: null },
    errors: ['not_found'],
    audit: 'tenant.delete',
    handler: async ({ context, caller, params, headers, reply, note }) => {
      const before = await deleteTenant(context, {
        name: params.name,
        expected: expectedBy(headers),
        author: caller.key,
      });
      if (before === null) throw absent();
      note.before = JSON.stringify(before.definition);
      reply.code(204);
      return undefined;
    },
  }),
];
