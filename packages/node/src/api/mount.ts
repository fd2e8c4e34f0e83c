import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type Caller } from '../context.ts';
import { type AnswerParams, answerer } from './answer.ts';
import { API_BASE, BLOB_BYTES_MAX } from './base.ts';
import { callerOf } from './caller.ts';
import { MESSAGES } from './error-answer.ts';
import type { Route } from './route.ts';

export interface MountParams extends Omit<AnswerParams, 'route'> {
  /** Answers that go on: whoever stops the server ends them. */
  readonly streams?: Set<FastifyReply['raw']>;
}

/** Puts one declared route before the server, with the gate in front of it. */
export function mount(app: FastifyInstance, route: Route, params: MountParams): void {
  const { auth } = params;
  const answer = answerer({ ...params, route });
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.route({
    // Load balancers ask for health with HEAD; elsewhere it would do the work and throw it away.
    method: route.role === 'none' ? [route.method, 'HEAD'] : route.method,
    url: `${API_BASE}${route.url}`,
    ...(route.bytes === true ? { bodyLimit: route.bytesMax ?? BLOB_BYTES_MAX } : {}),
    onRequest: async (request) => {
      callers.set(request, await callerOf(route, request, auth));
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw new ApiError('unsupported_media_type', MESSAGES.unsupported_media_type);
      }
    },
    handler: async (request, reply) => {
      const body = await answer(request, reply, callers.get(request) as Caller);
      if (!reply.sent) return body;
      const { raw } = reply;
      if (!raw.writableEnded && !raw.destroyed) {
        params.streams?.add(raw);
        raw.once('close', () => params.streams?.delete(raw));
      }
      return reply;
    },
  });
}
