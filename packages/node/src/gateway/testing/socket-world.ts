import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeFromNode,
  encodeFrames,
  type FromNode,
  type FromWorker,
  requireReadable,
} from '@signalbox/protocol';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import type { SocketLimits } from '../socket-limits.ts';
import { type LinkIdentity, WORKER_PATH, WorkerSocketServer } from '../web-socket-server.ts';
import { GatewayWorld, type WorldParams } from './gateway-world.ts';

const KEYS: Readonly<Record<string, LinkIdentity>> = {
  good: { key: 'k1', tenant: '*', role: 'worker' },
  root: { key: 'root', tenant: '*', role: 'admin' },
  viewer: { key: 'k2', tenant: '*', role: 'viewer' },
  tenants: { key: 'k3', tenant: 'acme', role: 'admin' },
};

/** The gateway behind a real HTTP server on a free port. */
export class SocketWorld {
  readonly world: GatewayWorld;
  readonly http: Server = createServer();
  readonly sockets: WorkerSocketServer;
  readonly #clients: WebSocket[] = [];

  private constructor(world: GatewayWorld, limits: Partial<SocketLimits>) {
    this.world = world;
    this.sockets = new WorkerSocketServer({
      gateway: world.gateway,
      server: this.http,
      authenticate: async (key) => KEYS[key] ?? null,
      log: pino({ level: 'silent' }),
      limits,
    });
  }

  static async start(
    params: WorldParams & { sockets?: Partial<SocketLimits> } = {},
  ): Promise<SocketWorld> {
    const world = await GatewayWorld.start(params);
    await world.define('mail', { tasks: [{ executor: 'handler:mail' }] });
    const made = new SocketWorld(world, params.sockets ?? {});
    await new Promise<void>((resolve) => made.http.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  client(key: string | null = 'good', headers: Record<string, string> = {}): SocketClient {
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
    const url = `ws://127.0.0.1:${this.port}${WORKER_PATH}`;
    const socket = new WebSocket(url, { headers: { ...authorization, ...headers } });
    this.#clients.push(socket);
    return new SocketClient(socket);
  }

  async stop(): Promise<void> {
    await this.sockets.stop();
    for (const client of this.#clients) client.terminate();
    await new Promise((resolve) => {
      this.http.close(resolve);
      this.http.closeAllConnections();
    });
    await this.world.stop();
  }
}

export class SocketClient {
  readonly socket: WebSocket;
  readonly frames: FromNode[] = [];
  readonly closed: Promise<number>;
  readonly opened: Promise<void>;
  #look: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.on('message', (data) => {
      this.frames.push(...requireReadable<FromNode>(decodeFromNode(data as Buffer)));
      for (const look of this.#look.splice(0)) look();
    });
  }

  say(...frames: FromWorker[]): void {
    this.socket.send(encodeFrames(frames));
  }

  async got<K extends FromNode['kind']>(kind: K, nth = 1): Promise<FromNode & { kind: K }> {
    for (;;) {
      const found = this.frames.filter((f): f is FromNode & { kind: K } => f.kind === kind);
      if (found.length >= nth) return found[nth - 1] as FromNode & { kind: K };
      await new Promise<void>((resolve) => this.#look.push(resolve));
    }
  }
}
