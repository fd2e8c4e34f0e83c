import { Pool } from 'undici';

/** As thin as a client can be: the figures are the server's. */
export class Client {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;

  constructor(url: string, key: string) {
    this.#pool = new Pool(url, { connections: 64, pipelining: 1 });
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async call<T>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<T> {
    const { statusCode, body: answer } = await this.#pool.request({
      method,
      path: `/api/v1${path}`,
      headers: { ...this.#headers, 'content-type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 400) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text) as T;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

export function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(value * 100) / 100;
}
