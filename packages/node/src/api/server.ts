import type { AddressInfo } from 'node:net';
import { Authenticator } from '../auth/authenticator.ts';
import type { NodeContext } from '../context/node-context.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { WorkerSocketServer } from '../gateway/web-socket-server.ts';
import type { NodeMetrics } from '../metrics/node-metrics.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { type AppLimits, buildApp } from './app.ts';
import { clientAddress } from './client-address.ts';
import { LongPolls } from './long-polls.ts';
import { OpenStreams, type StreamLimits } from './open-streams.ts';
import { ROUTES } from './routes.ts';
import { KeyWatch } from './watch-keys.ts';

const DRAIN_MS = 2_000;

export interface Server {
  readonly url: string;
  readonly auth: Authenticator;
  stop(): Promise<void>;
}

/** The HTTP server of a node, listening. */
export async function startServer(params: {
  context: NodeContext;
  gateway: Gateway;
  metrics: NodeMetrics;
  tracing: Tracing;
  rootKey: string;
  host: string;
  port: number;
  limits?: Partial<AppLimits>;
  streams?: Partial<StreamLimits>;
  trustedProxies?: readonly string[];
}): Promise<Server> {
  const { context, metrics, rootKey, tracing } = params;
  const addressOf = clientAddress(params.trustedProxies ?? []);
  const streams = new OpenStreams(params.streams);
  const polls = new LongPolls();
  const auth = new Authenticator({ store: context.store, rootKey, now: Date.now });
  const app = buildApp({
    context,
    auth,
    routes: ROUTES,
    tracing,
    streams,
    polls,
    addressOf,
    answered: (request) => metrics.request(request),
    ...(params.limits === undefined ? {} : { limits: params.limits }),
  });
  const links = new WorkerSocketServer({
    gateway: params.gateway,
    server: app.server,
    authenticate: (text, ip) => auth.authenticate(text, ip),
    addressOf,
    log: context.log,
  });
  const watch = new KeyWatch(auth, [links, streams, polls]);
  try {
    await app.listen({ host: params.host, port: params.port });
  } catch (error) {
    watch.stop();
    await links.stop();
    await app.close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  const host = params.host.includes(':') ? `[${params.host}]` : params.host;

  const stop = async (): Promise<void> => {
    // No new connections; what is under way may end, but a long wait does not hold us up.
    const closed = new Promise<void>((resolve) => app.server.close(() => resolve()));
    app.server.closeIdleConnections();
    streams.endAll();
    watch.stop();
    await links.stop();
    const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([closed, late]);
    await app.close();
  };
  return { url: `http://${host}:${port}`, auth, stop };
}
