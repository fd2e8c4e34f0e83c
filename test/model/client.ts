import http from 'node:http';

export interface Reply {
  /** 0: no answer; nobody knows whether it was done. */
  readonly status: number;
  readonly body: unknown;
}

export interface RequestOptions {
  readonly tenant: string;
  readonly key?: string;
  readonly body?: unknown;
  /** The client closes its connection this long after the request was sent. */
  readonly cutAfterMs?: number;
}

const TIMEOUT_MS = 60_000;

/** Plain HTTP to one of the nodes, so that nothing repeats a request behind the test's back. */
export class Client {
  /** The node that it sends to. */
  readonly node: string;
  readonly #port: number;
  readonly #rootKey: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  constructor(params: { node: string; port: number; rootKey: string }) {
    this.node = params.node;
    this.#port = params.port;
    this.#rootKey = params.rootKey;
  }

  close(): void {
    this.#agent.destroy();
  }

  request(method: string, path: string, options: RequestOptions): Promise<Reply> {
    const { tenant, key, body, cutAfterMs } = options;
    const data = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve) => {
      const done = (reply: Reply): void => {
        clearTimeout(timer);
        resolve(reply);
      };
      const request = http.request(
        {
          host: '127.0.0.1',
          port: this.#port,
          method,
          path: `/api/v1${path}`,
          ...(cutAfterMs === undefined ? { agent: this.#agent } : { agent: false }),
          headers: {
            authorization: `Bearer ${this.#rootKey}`,
            'signalbox-tenant': tenant,
            ...(key === undefined ? {} : { 'idempotency-key': key }),
            ...(data === undefined ? {} : { 'content-type': 'application/json' }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => done(NO_REPLY));
          response.on('aborted', () => done(NO_REPLY));
          response.on('end', () => done(read(response.statusCode ?? 0, Buffer.concat(chunks))));
        },
      );
      const timer = setTimeout(() => request.destroy(), TIMEOUT_MS);
      request.on('error', () => done(NO_REPLY));
      if (cutAfterMs !== undefined) {
        request.on('finish', () => setTimeout(() => request.destroy(), cutAfterMs));
      }
      request.end(data);
    });
  }

  /** Repeats a request that changes nothing, or the same thing, until it is answered. */
  async sure(method: string, path: string, options: RequestOptions): Promise<Reply> {
    for (let i = 0; ; i++) {
      const reply = await this.request(method, path, options);
      const passing = reply.status === 0 || reply.status === 429 || reply.status === 503;
      if (!passing || i === 600) return reply;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const NO_REPLY: Reply = { status: 0, body: null };

function read(status: number, bytes: Buffer): Reply {
  try {
    return { status, body: bytes.length === 0 ? null : JSON.parse(bytes.toString()) };
  } catch {
    return { status, body: bytes.toString() };
  }
}
