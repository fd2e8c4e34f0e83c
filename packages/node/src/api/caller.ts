import { PLATFORM } from '@signalbox/protocol';
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import { hasTwoAuthorizations } from '../auth/bearer.ts';
import { mayCall, neededKey, tenantOf } from '../auth/roles.ts';
import { ApiError, type Caller } from '../context/index.ts';
import type { ClientAddress } from './client-address.ts';
import type { Route } from './route.ts';

/** Stands for whoever asks where no key is needed; it may do nothing that needs one. */
const NOBODY = { key: '', tenant: '', role: 'viewer', platform: false } as const;

/**
 * The one gate of the API: who is it, and may they call what was matched? It reads the route's
 * declaration and nothing of the address, so no way of writing an address gets around it (h09).
 */
export async function callerOf(
  route: Route,
  request: FastifyRequest,
  { auth, addressOf }: { auth: Authenticator; addressOf: ClientAddress },
): Promise<Caller> {
  const ip = addressOf(request.raw);
  const requestId = request.id;
  if (route.role === 'none' || route.role === 'signed') return { ...NOBODY, ip, requestId };
  if (hasTwoAuthorizations(request.raw.rawHeaders))
    throw new ApiError(
      'bad_request',
      'the request has more than one Authorization header; send one',
    );
  const text = keyText(request);
  if (text === null)
    throw new ApiError(
      'unauthenticated',
      'the request has no key; send the header Authorization: Bearer <key>',
    );
  const who = await auth.authenticate(text, ip);
  if (!mayCall(route, who)) {
    const has = `the key has the role ${who.role}`;
    throw new ApiError('forbidden', `${has}; this request needs ${neededKey(route)}`);
  }
  const header = request.headers['signalbox-tenant'];
  const named = Array.isArray(header) ? header.join() : header;
  const tenant = tenantOf(who, named, route.everyTenant === true);
  const platform = who.tenant === PLATFORM;
  return { key: who.key, tenant, role: who.role, platform, ip, requestId };
}

/** From the header, never from the address: addresses end up in logs and histories (h07). */
export function keyText(request: { headers: FastifyRequest['headers'] }): string | null {
  const bearer = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(request.headers.authorization ?? '');
  if (bearer !== null) return bearer[1] as string;
  const header = request.headers['x-api-key'];
  return typeof header === 'string' && header !== '' && header.length <= 512 ? header : null;
}
