import { timingSafeEqual } from 'node:crypto';
import { PLATFORM, type Role } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { ApiError } from '../errors/api-error.ts';
import { KeyDirectory } from './key-directory.ts';
import { digestOf, parseKey } from './key-format.ts';
import { Keys, type KnownKey } from './keys.ts';
import { FLOOD_RETRY_SECONDS, type WrongKeyLimits, WrongKeys } from './wrong-keys.ts';

/** Who a key belongs to. */
export interface Identity {
  /** `root` for the key of the settings. */
  readonly key: string;
  /** `*` for keys of the platform. */
  readonly tenant: string;
  readonly role: Role;
}

/** Compared with where there is nothing to compare with, so that both ways cost the same (h03). */
const NOBODY = digestOf('').toString('hex');

const UNSEEN_READS_MAX = 50;

interface Found {
  readonly key: KnownKey | null;
  /** In a flood, an unknown id is refused without a read of the store. */
  readonly isUnread: boolean;
}

const ABSENT: Found = { key: null, isUnread: false };
const UNREAD: Found = { key: null, isUnread: true };

/** Turns the text of a key into who it is. */
export class Authenticator {
  readonly keys: Keys;
  readonly #root: Buffer | null;
  readonly #now: () => number;
  readonly #wrong: WrongKeys;
  readonly #directory: KeyDirectory;
  /** Ids not seen before that are being read from the store. */
  #unseenReads = 0;

  constructor(params: {
    store: Store;
    rootKey: string | null;
    now: () => number;
    monotonicMs?: () => number;
    limits?: Partial<WrongKeyLimits>;
  }) {
    const { monotonicMs = () => performance.now() } = params;
    this.keys = new Keys(params.store, params.now, monotonicMs);
    this.#root = params.rootKey === null ? null : digestOf(params.rootKey);
    this.#now = params.now;
    this.#wrong = new WrongKeys(monotonicMs, params.limits);
    this.#directory = new KeyDirectory(() => this.keys.ids(), monotonicMs);
  }

  /** Throws `unauthenticated`, or `rate_limited` after too many wrong keys; a valid key is always admitted. */
  async authenticate(text: string, ip: string): Promise<Identity> {
    if (this.#root !== null && timingSafeEqual(digestOf(text), this.#root)) {
      return { key: 'root', tenant: PLATFORM, role: 'admin' };
    }
    const parsed = parseKey(text);
    const { key, isUnread } = parsed === null ? ABSENT : await this.#find(parsed.id, ip);
    const known = Buffer.from(key?.sha256 ?? NOBODY, 'hex');
    const equal = timingSafeEqual(digestOf(parsed?.secret ?? text), known);
    if (key === null || !equal || key.revoked || this.#isOver(key.expiresAt)) {
      throw this.#refusal(parsed?.id ?? '', ip, isUnread ? FLOOD_RETRY_SECONDS : null);
    }
    return { key: key.id, tenant: key.tenant, role: key.role };
  }

  /** Whether a key that was let in before still would be: for links that outlive their request. */
  async isLive(id: string): Promise<boolean> {
    if (id === 'root') return true;
    const key = await this.keys.find(id);
    return key !== null && !key.revoked && !this.#isOver(key.expiresAt);
  }

  /**
   * In a flood of wrong keys, an id that this node has not seen is read only if there is such a key. Known ids
   * take the same steps, because the time of the response must not tell which ids exist (h03).
   */
  async #find(id: string, ip: string): Promise<Found> {
    const isSeen = this.keys.knows(id);
    // Wrong keys count once they are found wrong; until then, this bounds requests that arrive together.
    const isFlood = this.#wrong.isFlood(ip) || this.#unseenReads >= UNSEEN_READS_MAX;
    if (!isSeen && isFlood && !(await this.#directory.has(id))) return UNREAD;
    const counted = isSeen ? 0 : 1;
    this.#unseenReads += counted;
    try {
      return { key: await this.keys.find(id), isUnread: false };
    } finally {
      this.#unseenReads -= counted;
    }
  }

  #refusal(id: string, ip: string, floodSeconds: number | null): ApiError {
    const retryAfterSeconds = this.#wrong.count(id, ip) ?? floodSeconds;
    if (retryAfterSeconds === null)
      return new ApiError('unauthenticated', 'the key is unknown, revoked or expired');
    const message =
      'the key is unknown, revoked or expired, and there were too many wrong keys; retry later';
    return new ApiError('rate_limited', message, { retryAfterSeconds });
  }

  #isOver(expiresAt: string | null): boolean {
    // What cannot be read as a time is over, not without end.
    return expiresAt !== null && !(Date.parse(expiresAt) > this.#now());
  }
}
