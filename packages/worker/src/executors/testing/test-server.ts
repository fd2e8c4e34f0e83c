import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** An endpoint on the loopback that remembers what it was sent, down to connections and bytes. */
export class TestServer {
  readonly seen: Seen[] = [];
  connections = 0;
  bytes = 0;
  answer: (request: Seen, response: ServerResponse) => void = (_request, response) => {
    response.end('ok');
  };
  readonly #server: Server = createServer(
    (request, response) => void this.#take(request, response),
  );

  async start(): Promise<this> {
    this.#server.on('connection', (socket) => {
      this.connections++;
      socket.on('data', (chunk: Buffer) => {
        this.bytes += chunk.length;
      });
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers, rawHeaders } = request;
    const seen = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
    this.seen.push(seen);
    this.answer(seen, response);
  }
}
