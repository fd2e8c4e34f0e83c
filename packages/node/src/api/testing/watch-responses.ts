import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_BASE } from '../base.ts';

/** Compares every response of every server that this process starts from now on with the API document. */
export function watchResponses(found: (violations: readonly string[]) => void): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onSend', async (request, reply, payload) => {
      found(await violationsIn(request, reply, payload));
      return payload;
    });
  });
}

async function violationsIn(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<readonly string[]> {
  const route = request.routeOptions.url;
  if (route?.startsWith(`${API_BASE}/`) !== true) return [];
  // Here, because most tests start no server and must not load the API.
  const { violationsOf } = await import('./contract.ts');
  return violationsOf({
    method: request.method,
    url: route.slice(API_BASE.length),
    status: reply.statusCode,
    headers: reply.getHeaders(),
    body: typeof payload === 'string' ? payload : null,
  });
}
