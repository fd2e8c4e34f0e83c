import type { ServerResponse } from 'node:http';
import { ApiError, type Caller } from '../context/index.ts';

export interface StreamLimits {
  readonly perKey: number;
  readonly perTenant: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = { perKey: 200, perTenant: 1_000 };

const RETRY_AFTER_SECONDS = 5;
/** For bytes that are on their way. A client that does not read is disconnected after it. */
const CLOSE_MS = 250;

interface OpenStream {
  readonly key: string;
  readonly tenant: string;
  isSending: boolean;
  isOver: boolean;
}

/** The event streams that clients of this node have open, by key and by tenant. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #streams = new Map<ServerResponse, OpenStream>();
  readonly #counts = new Map<string, number>();

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...DEFAULT_STREAM_LIMITS, ...limits };
  }

  /** Counts the stream before anything is sent; throws if the key or the tenant has too many. */
  add({ key, tenant }: Pick<Caller, 'key' | 'tenant'>, response: ServerResponse): void {
    const { perKey, perTenant } = this.#limits;
    this.#requireRoom('key', key, perKey);
    this.#requireRoom('tenant', tenant, perTenant);
    // It emits no further `close`, so the stream would count for good.
    if (response.destroyed || response.closed) return;
    this.#streams.set(response, { key, tenant, isSending: false, isOver: false });
    this.#count(key, tenant, 1);
    response.once('close', () => {
      this.#streams.delete(response);
      this.#count(key, tenant, -1);
    });
  }

  /** The headers of the stream are sent: from now on it can be ended. */
  sending(response: ServerResponse): void {
    const stream = this.#streams.get(response);
    if (stream === undefined) return;
    stream.isSending = true;
    if (stream.isOver) end(response);
  }

  /** The keys that have streams. */
  keys(): ReadonlySet<string> {
    return new Set([...this.#streams.values()].map(({ key }) => key));
  }

  /** Ends the streams of a key; returns how many there were. */
  closeSessionsOf(key: string): number {
    const closed = [...this.#streams].filter(([, stream]) => stream.key === key);
    this.#end(closed);
    return closed.length;
  }

  endAll(): void {
    this.#end([...this.#streams]);
  }

  #end(streams: readonly (readonly [ServerResponse, OpenStream])[]): void {
    for (const [response, stream] of streams) {
      stream.isOver = true;
      // Without headers, the end would be an empty response of status 200.
      if (stream.isSending) end(response);
    }
  }

  #requireRoom(kind: 'key' | 'tenant', name: string, max: number): void {
    if ((this.#counts.get(`${kind} ${name}`) ?? 0) < max) return;
    throw new ApiError(
      'rate_limited',
      `the ${kind} already has ${max} open event streams on this node; close some, or raise the setting streams-per-${kind}`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  #count(key: string, tenant: string, change: 1 | -1): void {
    for (const counted of [`key ${key}`, `tenant ${tenant}`]) {
      const count = (this.#counts.get(counted) ?? 0) + change;
      if (count === 0) this.#counts.delete(counted);
      else this.#counts.set(counted, count);
    }
  }
}

function end(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), CLOSE_MS);
  response.once('close', () => clearTimeout(timer));
  response.end();
}
