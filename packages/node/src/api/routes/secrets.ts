import { Cursor, Name, NewSecret, pageOf, Secret } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { deleteSecret, listSecrets, saveSecret } from '../../operations/index.ts';
import { expectedBy, tagOf } from '../etag.ts';
import { VERSION_HEADERS } from '../request-headers.ts';
import { type Route, route } from '../route.ts';

const Named = Type.Object({ secret: Name });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));

export const secretsRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    url: '/secrets/:secret',
    role: 'admin',
    summary: 'Stores a secret, encrypted; attempts that start later receive the new value',
    params: Named,
    body: NewSecret,
    reads: VERSION_HEADERS,
    response: { 200: Secret, 201: Secret },
    versioned: true,
    audit: 'secret.update',
    handler: async ({ context, caller, params, body, headers, reply, note }) => {
      const { secret, outcome } = await saveSecret(context, caller, {
        name: params.secret,
        secret: body,
        expected: expectedBy(headers),
      });
      note.target = secret.name;
      note.after = `version ${secret.version}, ${outcome}`;
      reply.code(outcome === 'created' ? 201 : 200).header('etag', tagOf(secret.version));
      return secret;
    },
  }),
  route({
    method: 'GET',
    url: '/secrets',
    role: 'operator',
    summary: 'Lists the secrets of the tenant by name, without their values',
    query: Type.Object(
      { after: Type.Optional(Cursor), limit: Limit },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(Secret) },
    handler: ({ context, caller, query }) => listSecrets(context, caller, query),
  }),
  route({
    method: 'DELETE',
    url: '/secrets/:secret',
    role: 'admin',
    summary: 'Deletes a secret; attempts that refer to it fail',
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Secret },
    errors: ['not_found'],
    audit: 'secret.delete',
    handler: async ({ context, caller, params, headers, note }) => {
      const expected = expectedBy(headers);
      const deleted = await deleteSecret(context, caller, { name: params.secret, ...expected });
      note.target = deleted.name;
      return deleted;
    },
  }),
];
