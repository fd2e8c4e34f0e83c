import { timingSafeEqual } from 'node:crypto';
import { PLATFORM, type Role } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { ApiError } from '../context.ts';
import { FailureLimit } from './failure-limit.ts';
import { digestOf, parseKey } from './key-format.ts';
import { Keys } from './keys.ts';

/** Who a key belongs to. */
export interface Identity {
  /** `root` for the key of the settings. */
  readonly key: string;
  /** `*` for keys of the platform. */
  readonly tenant: string;
  readonly role: Role;
}

/** Compared with where there is nothing to compare with, so that both ways cost the same (h03). */
const NOBODY = digestOf('');

/** Turns the text of a key into who it is. */
export class Authenticator {
  readonly keys: Keys;
  readonly #root: Buffer | null;
  readonly #now: () => number;
  readonly #limit: FailureLimit;

  constructor(params: {
    store: Store;
    rootKey: string | null;
    now: () => number;
    monotonicMs?: () => number;
    failuresMax?: number;
  }) {
    const { monotonicMs = () => performance.now() } = params;
    this.keys = new Keys(params.store, params.now, monotonicMs);
    this.#root = params.rootKey === null ? null : digestOf(params.rootKey);
    this.#now = params.now;
    const { failuresMax } = params;
    const clock = { now: monotonicMs };
    this.#limit = new FailureLimit(
      failuresMax === undefined ? clock : { ...clock, max: failuresMax },
    );
  }

  /** Throws `unauthenticated`, or `rate_limited` where the address has failed too often. */
  async authenticate(text: string, ip: string): Promise<Identity> {
    if (this.#root !== null && timingSafeEqual(digestOf(text), this.#root)) {
      return { key: 'root', tenant: PLATFORM, role: 'admin' };
    }
    const parsed = parseKey(text);
    const wait = this.#limit.waitSeconds(ip);
    // One bad neighbour behind the same address must not lock out keys that are in use.
    if (wait !== null && (parsed === null || !this.keys.knows(parsed.id))) {
      throw new ApiError(
        'rate_limited',
        'too many requests with invalid keys from this address; retry later',
        { retryAfterSeconds: wait },
      );
    }
    const key = parsed === null ? null : await this.keys.find(parsed.id);
    const known = key === null ? NOBODY : Buffer.from(key.sha256, 'hex');
    const equal = timingSafeEqual(digestOf(parsed?.secret ?? text), known);
    if (key === null || !equal || key.revoked || this.#isOver(key.expiresAt)) {
      this.#limit.failed(ip);
      throw new ApiError('unauthenticated', 'the key is unknown, revoked or expired');
    }
    return { key: key.id, tenant: key.tenant, role: key.role };
  }

  /** Whether a key that was let in before still would be: for links that outlive their request. */
  async isLive(id: string): Promise<boolean> {
    if (id === 'root') return true;
    const key = await this.keys.find(id);
    return key !== null && !key.revoked && !this.#isOver(key.expiresAt);
  }

  #isOver(expiresAt: string | null): boolean {
    // What cannot be read as a time is over, not without end.
    return expiresAt !== null && !(Date.parse(expiresAt) > this.#now());
  }
}
