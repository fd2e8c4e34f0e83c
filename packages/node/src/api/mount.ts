import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, type Caller } from '../context/index.ts';
import { type AnswerParams, answerer } from './answer.ts';
import { API_BASE, BLOB_BYTES_MAX } from './base.ts';
import { callerOf } from './caller.ts';
import type { ClientAddress } from './client-address.ts';
import { MESSAGES } from './error-answer.ts';
import type { LongPolls } from './long-polls.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Route } from './route.ts';

export interface MountParams extends Omit<AnswerParams, 'route'> {
  readonly streams: OpenStreams;
  readonly polls: LongPolls;
  readonly addressOf: ClientAddress;
}

/** Puts one declared route before the server, with the gate in front of it. */
export function mount(app: FastifyInstance, route: Route, params: MountParams): void {
  const { streams, polls } = params;
  const answer = answerer({ ...params, route });
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.route({
    // Load balancers ask for health with HEAD; elsewhere it would do the work and throw it away.
    method: route.role === 'none' ? [route.method, 'HEAD'] : route.method,
    url: `${API_BASE}${route.url}`,
    ...(route.bytes === true ? { bodyLimit: route.bytesMax ?? BLOB_BYTES_MAX } : {}),
    onRequest: async (request) => {
      callers.set(request, await callerOf(route, request, params));
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw new ApiError('unsupported_media_type', MESSAGES.unsupported_media_type);
      }
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) as Caller;
      if (route.streams === true) streams.add(caller, reply.raw);
      const answering = answer(request, reply, caller);
      const body = await (route.waits === true
        ? polls.whileLive(caller.key, answering)
        : answering);
      if (!reply.sent) return body;
      streams.sending(reply.raw);
      return reply;
    },
  });
}
