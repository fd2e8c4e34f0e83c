import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  decodeFromWorker,
  encodeFrames,
  type FromNode,
  type FromWorker,
  requireReadable,
} from '@signalbox/protocol/link';
import { type WebSocket, WebSocketServer } from 'ws';

type Kind = FromWorker['kind'];

/** A node on a real socket that hears when frames came in, by its own clock. */
export class SocketNode {
  readonly heard: { readonly frame: FromWorker; readonly at: number }[] = [];
  readonly authorizations: (string | undefined)[] = [];
  heartbeatMs = 50;
  confirms = true;
  /** Closes with this code instead of a welcome. */
  rejectWith: number | null = null;
  socket: WebSocket | null = null;
  readonly #server: WebSocketServer;
  #waiting: { done(): boolean; resolve(): void }[] = [];

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, request) => {
      this.socket = socket;
      this.authorizations.push(request.headers.authorization);
      socket.on('message', (data: Buffer) => {
        for (const frame of requireReadable<FromWorker>(decodeFromWorker(data)))
          this.#receive(frame);
      });
      socket.on('close', () => this.#look());
    });
  }

  static async listen(more: { autoPong?: boolean } = {}): Promise<SocketNode> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, ...more });
    await once(server, 'listening');
    return new SocketNode(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  send(...frames: FromNode[]): void {
    this.socket?.send(encodeFrames(frames));
  }

  all(kind: Kind): { readonly frame: FromWorker; readonly at: number }[] {
    return this.heard.filter(({ frame }) => frame.kind === kind);
  }

  until(done: () => boolean): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ done, resolve }));
  }

  async next(kind: Kind, count = 1): Promise<FromWorker> {
    await this.until(() => this.all(kind).length >= count);
    return this.all(kind)[count - 1]?.frame as FromWorker;
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(frame: FromWorker): void {
    this.heard.push({ frame, at: performance.now() });
    if (frame.kind === 'hello') {
      if (this.rejectWith !== null) this.socket?.close(this.rejectWith, 'rejected');
      else this.send({ kind: 'welcome', protocol: 1, node: 'n1', heartbeatMs: this.heartbeatMs });
    }
    if (frame.kind === 'finish' && this.confirms) this.send({ kind: 'confirm', refs: [frame.ref] });
    this.#look();
  }

  #look(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      if (each.done()) each.resolve();
      else this.#waiting.push(each);
    }
  }
}
