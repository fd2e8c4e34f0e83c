import { seededRandom } from '@signalbox/engine';

export type Random = ReturnType<typeof seededRandom>;

/** One run of the model test: everything that a seed decides, and how long it goes on. */
export interface ModelOptions {
  readonly seed: number;
  readonly store: 'sqlite' | 'postgres';
  readonly nodes: number;
  readonly workers: number;
  readonly clients: number;
  /** Requests and faults go on for this long; then everything is healed and has to come to rest. */
  readonly seconds: number;
  readonly tenants: readonly string[];
  /** Distinct idempotency keys and unique values that are drawn again and again. */
  readonly keys: number;
  /** Time between two faults, about. */
  readonly faultEveryMs: number;
  /** Time between two requests of one client: a bound on what has to be done and read afterwards. */
  readonly actEveryMs: number;
  /** A client goes on until it has sent this many requests, however slow the machine is. */
  readonly requestsMin: number;
  /** How long a process stands still at most. */
  readonly pauseMsMax: number;
}

export interface Wanted {
  readonly seed: number;
  readonly seconds: number;
  readonly store?: 'sqlite' | 'postgres';
  readonly nodes?: number;
}

export function drawOptions({ seed, seconds, store, nodes }: Wanted): ModelOptions {
  const random = seededRandom(seed);
  const drawn = random.next() < 0.4 ? 'sqlite' : 'postgres';
  const on = store ?? drawn;
  const most = 1 + random.int(3);
  return {
    seed,
    seconds,
    store: on,
    // A file has one node.
    nodes: on === 'sqlite' ? 1 : (nodes ?? most),
    workers: 1 + random.int(3),
    clients: 3 + random.int(4),
    tenants: ['default', 'second', 'third'].slice(0, 1 + random.int(3)),
    keys: 3 + random.int(30),
    faultEveryMs: 2_000 + random.int(6_000),
    actEveryMs: 40,
    requestsMin: 20,
    pauseMsMax: 9_000,
  };
}
