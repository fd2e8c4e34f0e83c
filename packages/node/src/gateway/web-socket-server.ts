import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { CLOSE, PLATFORM, type Role } from '@signalbox/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { hasTwoAuthorizations } from '../auth/bearer.ts';
import type { Logger } from '../settings/log-events.ts';
import type { Gateway } from './gateway.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { DEFAULT_SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts';
import { type Verdict, WorkerSocket } from './worker-socket.ts';

export const WORKER_PATH = '/api/v1/worker';

/** Who a key belongs to, as `auth/` tells. */
export interface LinkIdentity {
  readonly key: string;
  readonly tenant: string;
  readonly role: Role;
}

export interface WorkerSocketServerParams {
  readonly gateway: Gateway;
  readonly server: Server;
  /** Answers null or throws where the key is not valid. */
  readonly authenticate: (key: string, ip: string) => Promise<LinkIdentity | null>;
  /** The address that wrong keys are counted by. Default: the peer's. */
  readonly addressOf?: (request: IncomingMessage) => string;
  readonly log: Logger;
  readonly limits?: Partial<SocketLimits>;
}

/**
 * Worker links over WebSocket at `/api/v1/worker`. The key comes in the Authorization header or in
 * the `hello`, never in the address: addresses end up in logs.
 */
export class WorkerSocketServer {
  readonly #p: WorkerSocketServerParams;
  readonly #limits: SocketLimits;
  readonly #ws: WebSocketServer;
  /** Every socket, and the id of the key that it was admitted with. */
  readonly #sockets = new Map<WebSocket, { key: string | null; link: WorkerSocket }>();
  /** Requests whose key is being looked at: they count, or the limit would be none. */
  #pending = 0;
  #stopped = false;

  constructor(params: WorkerSocketServerParams) {
    this.#p = params;
    this.#limits = { ...DEFAULT_SOCKET_LIMITS, ...params.limits };
    this.#ws = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.messageBytesMax,
      maxFragments: this.#limits.fragmentsMax,
    });
    params.server.on('upgrade', this.#upgrade);
  }

  /** The keys of the open sockets. */
  keys(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { key } of this.#sockets.values()) if (key !== null) keys.add(key);
    return keys;
  }

  /** A revoked key ends its links at once; answers how many there were. */
  closeSessionsOf(key: string): number {
    let closed = 0;
    for (const socket of this.#sockets.values()) {
      if (socket.key !== key) continue;
      socket.link.end(CLOSE.unauthenticated, 'the key is no longer valid');
      closed++;
    }
    return closed;
  }

  /** Resolves when every socket is closed, in order or by force. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const gone = [...this.#sockets].map(
      ([socket, { link }]) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          link.end(CLOSE.goingAway, 'the node is stopping');
        }),
    );
    await Promise.all(gone);
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const onError = (): void => void socket.destroy();
    socket.on('error', onError);
    this.#pending++;
    this.#admitRequest(request)
      .then((answer) => {
        if (typeof answer === 'number') return refuseUpgrade(socket, answer);
        if (socket.destroyed) return;
        socket.off('error', onError);
        this.#ws.handleUpgrade(request, socket, head, (ws) => this.#connected(ws, request, answer));
      })
      .catch((error: unknown) => {
        this.#p.log.error(
          { event: 'worker.connect_failed', err: error },
          'worker connection failed',
        );
        refuseUpgrade(socket, 500);
      })
      .finally(() => this.#pending--);
  };

  /** An HTTP status to refuse with; the id of the key; or null where it is to come in the `hello`. */
  async #admitRequest(request: IncomingMessage): Promise<number | { key: string | null }> {
    if (request.url !== WORKER_PATH) return request.url?.startsWith(WORKER_PATH) ? 400 : 404;
    if (this.#stopped) return 503;
    // Workers are not browsers: a request with an origin comes from a web page inside somebody's network.
    if (request.headers.origin !== undefined) return 403;
    if (this.#sockets.size + this.#pending > this.#limits.connectionsMax) return 503;
    if (hasTwoAuthorizations(request.rawHeaders)) return 400;
    const { authorization } = request.headers;
    if (authorization === undefined) return { key: null };
    const key = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1];
    const who = key === undefined ? null : await this.#identify(key, request);
    if (who === null) return 401;
    return mayAttach(who) ? { key: who.key } : 403;
  }

  #connected(socket: WebSocket, request: IncomingMessage, known: { key: string | null }): void {
    const entry = { key: known.key };
    const admit = async (key: string | undefined): Promise<Verdict> => {
      const who = key === undefined ? null : await this.#identify(key, request);
      if (who === null)
        return { code: CLOSE.unauthenticated, reason: 'the key is unknown, revoked or expired' };
      if (!mayAttach(who))
        return {
          code: CLOSE.forbidden,
          reason: 'attaching a worker needs a key with the role worker',
        };
      entry.key = who.key;
      return 'admitted';
    };
    const ip = this.#addressOf(request);
    const link = new WorkerSocket({
      socket,
      limits: this.#limits,
      open: (peer) => this.#p.gateway.open(peer, { isChecked: true }),
      admit: known.key === null ? admit : null,
      origin: () => (entry.key === null ? null : { key: entry.key, ip }),
    });
    this.#sockets.set(socket, Object.assign(entry, { link }));
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #addressOf(request: IncomingMessage): string {
    return this.#p.addressOf?.(request) ?? request.socket.remoteAddress ?? '';
  }

  async #identify(key: string, request: IncomingMessage): Promise<LinkIdentity | null> {
    try {
      return await this.#p.authenticate(key, this.#addressOf(request));
    } catch {
      return null;
    }
  }
}

/** Workers are the platform's: a tenant's key attaches none, or it would be handed others' tasks. */
function mayAttach({ role, tenant }: LinkIdentity): boolean {
  return tenant === PLATFORM && (role === 'worker' || role === 'admin');
}
