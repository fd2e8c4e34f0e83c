import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  decodeFromWorker,
  encodeFrames,
  type FromNode,
  type FromWorker,
  MESSAGE_BYTES_MAX,
  type Ref,
  requireReadable,
} from '@signalbox/protocol/link';
import { type WebSocket, WebSocketServer } from 'ws';

type Kind = FromWorker['kind'];
type Of<K extends Kind> = FromWorker & { readonly kind: K };

const PATIENCE_MS = 10_000;
export const HEARTBEAT_MS = 200;

/** What a worker did that the protocol does not allow. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** A node that follows a script: it says what a scenario wants and holds the worker to its word. */
export class ScriptedNode {
  readonly heard: FromWorker[] = [];
  authorization: string | undefined;
  welcomes = true;
  confirms = true;
  connections = 0;
  readonly #server: WebSocketServer;
  #socket: WebSocket | null = null;
  #violation: Violation | null = null;
  #looks: (() => void)[] = [];

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, request) => {
      this.#socket = socket;
      this.connections += 1;
      this.authorization = request.headers.authorization;
      let isFirst = true;
      socket.on('message', (data: Buffer) => {
        this.#message(data, isFirst);
        isFirst = false;
      });
      socket.on('close', () => {
        if (this.#socket === socket) this.#socket = null;
        this.#look();
      });
    });
  }

  static async listen(): Promise<ScriptedNode> {
    const server = new WebSocketServer({
      host: '127.0.0.1',
      port: 0,
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
    });
    await once(server, 'listening');
    return new ScriptedNode(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isConnected(): boolean {
    return this.#socket !== null;
  }

  send(...frames: FromNode[]): void {
    this.#socket?.send(encodeFrames(frames));
  }

  sayBytes(bytes: Uint8Array): void {
    this.#socket?.send(bytes);
  }

  /** Without a word, as a network does it. */
  cut(): void {
    this.#socket?.terminate();
    this.#socket = null;
  }

  all<K extends Kind>(kind: K, ref?: Ref): Of<K>[] {
    return this.heard.filter(
      (frame): frame is Of<K> => frame.kind === kind && (ref === undefined || concerns(frame, ref)),
    );
  }

  /** The frame number `count` of the kind, and of the attempt where one is given. */
  async next<K extends Kind>(kind: K, params: { ref?: Ref; count?: number } = {}): Promise<Of<K>> {
    const { ref, count = 1 } = params;
    const what = `${kind}${ref === undefined ? '' : ` of ${ref}`}${count > 1 ? ` (${count})` : ''}`;
    await this.until(`says ${what}`, () => this.all(kind, ref).length >= count);
    return this.all(kind, ref)[count - 1] as Of<K>;
  }

  async until(what: string, done: () => boolean, withinMs = PATIENCE_MS): Promise<void> {
    const over = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.#violation !== null) over.reject(this.#violation);
      else if (done()) over.resolve();
    };
    const timer = setTimeout(() => {
      over.reject(new Violation(`not within ${withinMs} ms: the worker ${what}`));
    }, withinMs);
    this.#looks.push(look);
    look();
    try {
      await over.promise;
    } finally {
      clearTimeout(timer);
      this.#looks = this.#looks.filter((each) => each !== look);
    }
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #message(data: Buffer, isFirst: boolean): void {
    try {
      const frames = requireReadable<FromWorker>(decodeFromWorker(data));
      if (isFirst && frames[0]?.kind !== 'hello') throw new Error('hello is not the first frame');
      for (const frame of frames) this.#receive(frame);
    } catch (error) {
      this.#violation ??= new Violation(error instanceof Error ? error.message : String(error));
    }
    this.#look();
  }

  #receive(frame: FromWorker): void {
    this.heard.push(frame);
    if (frame.kind === 'hello' && this.welcomes) {
      this.send({ kind: 'welcome', protocol: 1, node: 'script', heartbeatMs: HEARTBEAT_MS });
    }
    if (frame.kind === 'finish' && this.confirms) this.send({ kind: 'confirm', refs: [frame.ref] });
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}

function concerns(frame: FromWorker, ref: Ref): boolean {
  if (frame.kind === 'accept') return frame.refs.some((each) => same(each, ref));
  return 'ref' in frame && same(frame.ref, ref);
}

export function same(a: Ref, b: Ref): boolean {
  return a.every((number, i) => number === b[i]);
}
