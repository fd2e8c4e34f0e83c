import { parseAddress } from '@signalbox/protocol';
import { FailureLimit } from './failure-limit.ts';

export interface WrongKeyLimits {
  /** By key id and address: a client that repeats one wrong key. */
  readonly perKey: number;
  /** By address: a client, or a network behind one address, that tries many keys. */
  readonly perAddress: number;
  /** Of all addresses together: a flood from many of them. */
  readonly perNode: number;
}

export const DEFAULT_WRONG_KEY_LIMITS: WrongKeyLimits = {
  perKey: 10,
  perAddress: 100,
  perNode: 1_000,
};

const NODE = '';
/** Valid keys are admitted in a flood, at the latest after the next reading of the key ids. */
export const FLOOD_RETRY_SECONDS = 5;

/** Counts wrong keys for a minute. It never refuses a valid key: it is asked after the key was found wrong. */
export class WrongKeys {
  readonly #byKey: FailureLimit;
  readonly #byAddress: FailureLimit;
  readonly #byNode: FailureLimit;

  constructor(now: () => number, limits: Partial<WrongKeyLimits> = {}) {
    const { perKey, perAddress, perNode } = { ...DEFAULT_WRONG_KEY_LIMITS, ...limits };
    this.#byKey = new FailureLimit({ now, max: perKey });
    this.#byAddress = new FailureLimit({ now, max: perAddress });
    this.#byNode = new FailureLimit({ now, max: perNode });
  }

  /** True above a limit: ids that this node has not seen are then no longer read one by one. */
  isFlood(ip: string): boolean {
    const isFromHere = this.#byAddress.waitSeconds(networkOf(ip)) !== null;
    return isFromHere || this.#byNode.waitSeconds(NODE) !== null;
  }

  /**
   * Counts a wrong key. Returns the seconds to wait if there were too many before it, else null. The same for
   * unknown ids and wrong secrets: the response must not reveal which ids exist.
   */
  count(id: string, ip: string): number | null {
    const network = networkOf(ip);
    const key = `${id} ${network}`;
    const wait = this.#byKey.waitSeconds(key) ?? (this.isFlood(ip) ? FLOOD_RETRY_SECONDS : null);
    this.#byKey.failed(key);
    this.#byAddress.failed(network);
    this.#byNode.failed(NODE);
    return wait;
  }
}

/** An IPv6 client usually has 2^64 addresses: they count as one. */
function networkOf(ip: string): string {
  const bytes = parseAddress(ip);
  return bytes?.length === 16 ? bytes.slice(0, 8).join('.') : ip;
}
