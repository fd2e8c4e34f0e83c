import { type Dispatcher, Pool } from 'undici';

/** Kept, and never more than one request on each at a time: what any client does. */
const CONNECTIONS = 64;

/**
 * As thin as a client can be: the figures are the server's. It hands requests to the dispatcher, because
 * a stream for each answer costs a fifth more, and `node:http` nearly twice as much.
 */
export class Client {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;

  constructor(url: string, key: string) {
    this.#pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async call<T>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<T> {
    const { status, text } = await exchange(this.#pool, {
      method,
      path: `/api/v1${path}`,
      headers: { ...this.#headers, 'content-type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    pool.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => resolve({ status, text: textOf(chunks) }),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  return (chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)).toString();
}

export function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(value * 100) / 100;
}
