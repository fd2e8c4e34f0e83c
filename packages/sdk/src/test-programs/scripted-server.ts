import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { BATCH_TYPE, type BatchHeader, splitBatch } from '@signalbox/protocol';

export interface Requested {
  readonly method: string;
  /** Below `/api/v1`, without its query. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
}

export type Respond = (request: Requested, response: ServerResponse) => void;

/** An HTTP server that does what a test says, where the SDK expects a node. */
export class ScriptedServer implements AsyncDisposable {
  respond: Respond;
  readonly requests: Requested[] = [];
  readonly #server: Server;

  private constructor(respond: Respond) {
    this.respond = respond;
    this.#server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      const path = url.replace('/api/v1', '').split('?')[0] as string;
      const requested = { method, path, headers, body: await buffer(request) };
      this.requests.push(requested);
      this.respond(requested, response);
    });
  }

  static async start(respond: Respond): Promise<ScriptedServer> {
    const server = new ScriptedServer(respond);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** What the submissions of a batch say of themselves. */
export function headsOf({
  headers,
  body,
}: Requested): readonly Readonly<Record<string, unknown>>[] {
  const parts = headers['content-type'] === BATCH_TYPE ? splitBatch(body) : null;
  if (parts === null) throw new Error('this is no batch');
  const { shared, items, inputs } = JSON.parse(parts.header.toString()) as BatchHeader;
  return inputs.map((_, i) => ({ ...shared, ...items?.[i] }));
}

/** Accepts every submission as a new run. */
export function acceptAll(request: Requested, response: ServerResponse): void {
  const items = headsOf(request).map(({ job }, i) => ({
    id: `run-${i}`,
    job,
    created: true,
    count: 1,
  }));
  sendJson(response, { items });
}
