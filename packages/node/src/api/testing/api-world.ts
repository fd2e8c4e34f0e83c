import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { ErrorBody, Role } from '@signalbox/protocol';
import { pino } from 'pino';
import type { NodeOptions } from '../../node-options.ts';
import { type RunningNode, startNode } from '../../start-node.ts';
import { API_BASE } from '../base.ts';

export const ROOT_KEY = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws where it is none. */
  json<T = Record<string, unknown>>(): T;
  error(): ErrorBody['error'];
}

export interface Ask {
  readonly method?: string;
  readonly key?: string | null;
  readonly tenant?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

/** A whole node on a memory store that listens on a port of its own. */
export class ApiWorld {
  readonly node: RunningNode;
  readonly url: string;
  /** Everything that was logged, as text. */
  readonly logged: string[];

  private constructor(node: RunningNode, logged: string[]) {
    this.node = node;
    this.url = node.url as string;
    this.logged = logged;
  }

  static async start(options: Partial<NodeOptions> = {}): Promise<ApiWorld> {
    const logged: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
    const node = await startNode({
      store: 'memory:',
      http: { host: '127.0.0.1', port: 0 },
      rootKey: ROOT_KEY,
      partitions: 2,
      log,
      onFatal: () => {},
      ...options,
    });
    await node.ready();
    return new ApiWorld(node, logged);
  }

  stop(): Promise<void> {
    return this.node.stop();
  }

  async ask(path: string, ask: Ask = {}): Promise<Answer> {
    const { key = ROOT_KEY, tenant, body, raw } = ask;
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(tenant === undefined ? {} : { 'signalbox-tenant': tenant }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...ask.headers,
    };
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${this.url}${API_BASE}${path}`, {
      method: ask.method ?? (sent === undefined ? 'GET' : 'POST'),
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    return answer(response);
  }

  async makeKey(role: Role, tenant: string): Promise<string> {
    const made = await this.ask('/keys', { body: { role }, tenant });
    if (made.status !== 201) throw new Error(made.text);
    return made.json<{ secret: string }>().secret;
  }

  /** Bytes straight onto a connection; answers everything that comes back until it is closed. */
  talk(bytes: string | Uint8Array): Promise<string> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      const parts: Buffer[] = [];
      socket.on('data', (part) => parts.push(part));
      socket.on('close', () => resolve(Buffer.concat(parts).toString()));
      socket.on('error', (error) => ('code' in error && parts.length > 0 ? null : reject(error)));
    });
  }

  /** A request as it is written: `fetch` would tidy up the path. */
  askPath(path: string, method = 'GET'): Promise<number> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const asked = httpRequest({ hostname, port, path, method }, (response) => {
        response.resume();
        resolve(response.statusCode as number);
        response.destroy();
      });
      asked.on('error', reject);
      asked.end();
    });
  }
}

/** A stream is not waited for: its first answer is what is asked for here. */
async function answer(response: Response): Promise<Answer> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: <T>() => JSON.parse(text) as T,
    error: () => (JSON.parse(text) as ErrorBody).error,
  };
}
