import type { Authenticator } from '../auth/authenticator.ts';

const CHECK_EVERY_MS = 1_500;
/** Bounds the reads that wait for the store at the same time. */
const CHECKED_AT_ONCE = 50;

/** Connections that outlive the check of their key: worker sockets, event streams and requests that wait. */
export interface KeyedConnections {
  /** The keys that have connections. */
  keys(): ReadonlySet<string>;
  /** Ends the connections of a key; returns how many there were. */
  closeSessionsOf(key: string): number;
}

/**
 * A connection is authenticated once and stays open for days. The keys behind open connections are therefore
 * checked again and again: a revoked or expired key loses its connections within five seconds, on every node.
 */
export class KeyWatch {
  readonly #auth: Pick<Authenticator, 'isLive'>;
  readonly #connections: readonly KeyedConnections[];
  readonly #timer: NodeJS.Timeout;
  #checking = false;

  constructor(auth: Pick<Authenticator, 'isLive'>, connections: readonly KeyedConnections[]) {
    this.#auth = auth;
    this.#connections = connections;
    // An unavailable store does not make a key invalid: the next check reads it again.
    this.#timer = setInterval(() => void this.check().catch(() => {}), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  async check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    try {
      const keys = [...new Set(this.#connections.flatMap((each) => [...each.keys()]))];
      for (let at = 0; at < keys.length; at += CHECKED_AT_ONCE) {
        await Promise.all(keys.slice(at, at + CHECKED_AT_ONCE).map((key) => this.#checkOne(key)));
      }
    } finally {
      this.#checking = false;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #checkOne(key: string): Promise<void> {
    if (await this.#auth.isLive(key)) return;
    for (const each of this.#connections) each.closeSessionsOf(key);
  }
}
