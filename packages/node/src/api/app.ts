import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { parseJson } from '../json/parse-json.ts';
import { BLOB_BYTES_MAX, BODY_BYTES_MAX } from './base.ts';
import { type ClientAddress, peerAddress } from './client-address.ts';
import { MESSAGES } from './error-answer.ts';
import { HEADERS } from './headers.ts';
import { LongPolls } from './long-polls.ts';
import { allowedMethods } from './methods.ts';
import { type MountParams, mount } from './mount.ts';
import { OpenStreams } from './open-streams.ts';
import { requestIds } from './request-ids.ts';
import type { Route } from './route.ts';
import { errorSender, refuseBytes } from './send-error.ts';

const CONNECTIONS_MAX = 10_000;
const KEEP_ALIVE_MS = 75_000;

function notHere(): never {
  throw new Error('a route has a Fastify schema; request checks belong in validate.ts');
}

/** Routes check for themselves: what Fastify would do it with is a hundred modules at every start. */
const NO_COMPILERS = { buildValidator: () => notHere, buildSerializer: () => notHere };

export interface AppLimits {
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** How often connections are held against the two above. */
  readonly checkEveryMs: number;
}

/** A request that stops is ended within 30 s: the sum of the time-out and of one interval is below. */
export const APP_LIMITS: AppLimits = {
  requestTimeoutMs: 28_500,
  headersTimeoutMs: 10_000,
  checkEveryMs: 1_000,
};

export interface Answered {
  readonly method: string;
  /** As declared, or nothing where none matched. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

export interface AppParams extends Omit<MountParams, 'streams' | 'polls' | 'addressOf'> {
  /** Omitted: streams of this server alone, with the default limits. */
  readonly streams?: OpenStreams;
  readonly polls?: LongPolls;
  /** Omitted: the address of the peer. */
  readonly addressOf?: ClientAddress;
  readonly routes: readonly Route[];
  readonly limits?: Partial<AppLimits>;
  readonly answered?: (request: Answered) => void;
}

/** The HTTP server over the declared routes. It does not listen yet. */
export function buildApp(params: AppParams): FastifyInstance {
  const { context, routes } = params;
  const limits = { ...APP_LIMITS, ...params.limits };
  const nextId = requestIds();
  const sendError = errorSender(context.log, params.addressOf ?? peerAddress);
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    // What is left when everything else has been given time to end.
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: NO_COMPILERS },
    requestIdHeader: false,
    genReqId: nextId,
    routerOptions: { maxParamLength: 512, querystringParser: readPairs },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => refuseBytes(error, socket as Socket, nextId()),
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(routes, request.url);
    if (allowed.length === 0) throw new ApiError('not_found', 'the API has no such path');
    reply.header('allow', allowed.join(', '));
    throw new ApiError('method_not_allowed', MESSAGES.method_not_allowed);
  });
  addHooks(app, params);
  addRoutes(app, params);
  return app;
}

function addHooks(app: FastifyInstance, { context, answered }: AppParams): void {
  // Hooks that answer at once: a promise for each of them would be most of what they cost.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    // Never the address that was sent: somebody may have put a key into it (h07).
    const route = request.routeOptions.url ?? '';
    answered?.({ method, route, status, ms });
    if (context.log.isLevelEnabled('debug')) {
      const fields = { requestId: id, method, route, status, ms };
      context.log.debug({ event: 'request.handled', ...fields }, 'request handled');
    }
    done();
  });
}

/** Each kind of body in a scope of its own: its parser does not exist for the others. */
function addRoutes(app: FastifyInstance, given: AppParams): void {
  const { routes, addressOf = peerAddress } = given;
  const { streams = new OpenStreams(), polls = new LongPolls() } = given;
  const params = { ...given, streams, polls, addressOf };
  app.removeAllContentTypeParsers();
  void app.register(async (scope) => {
    takeJson(scope);
    for (const route of routes) if (!route.bytes && !route.packed) mount(scope, route, params);
  });
  void app.register(async (scope) => {
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BLOB_BYTES_MAX }, asItIs);
    for (const route of routes) if (route.bytes) mount(scope, route, params);
  });
  for (const route of routes) {
    const { packed } = route;
    if (packed === undefined) continue;
    void app.register(async (scope) => {
      takeJson(scope);
      scope.addContentTypeParser(packed.contentType, { parseAs: 'buffer' }, asItIs);
      mount(scope, route, params);
    });
  }
}

type Parsed = (error: Error | null, body?: unknown) => void;

function takeJson(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (_: FastifyRequest, body: Buffer, done: Parsed) => {
      try {
        done(null, body.length === 0 ? undefined : parseJson(body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function asItIs(_: FastifyRequest, body: Buffer, done: Parsed): void {
  done(null, body);
}

/** Without a prototype; a name that comes twice becomes a list, which no schema takes. */
function readPairs(text: string): Record<string, string | string[]> {
  const pairs = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = pairs[name];
    if (before === undefined) pairs[name] = value;
    else if (typeof before === 'string') pairs[name] = [before, value];
    else before.push(value);
  }
  return pairs;
}
