import { ApiError } from '../errors/api-error.ts';
import type { KeyedConnections } from './watch-keys.ts';

/** Requests that wait for up to a minute. Each ends with its key, as worker sockets and event streams do. */
export class LongPolls implements KeyedConnections {
  readonly #waiting = new Map<string, Set<(error: ApiError) => void>>();

  /** Resolves like the answer, or rejects once the key is revoked or expired. */
  async whileLive<T>(key: string, answer: Promise<T>): Promise<T> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(reject));
    try {
      return await Promise.race([answer, over]);
    } finally {
      waiting.delete(reject);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    }
  }

  keys(): ReadonlySet<string> {
    return new Set(this.#waiting.keys());
  }

  closeSessionsOf(key: string): number {
    const waiting = [...(this.#waiting.get(key) ?? [])];
    for (const end of waiting) {
      end(new ApiError('unauthenticated', 'the key was revoked or expired during the request'));
    }
    return waiting.length;
  }
}
