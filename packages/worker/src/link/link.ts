import {
  CLOSE,
  type FromNode,
  type FromWorker,
  type Resources,
  type Unreadable,
} from '@signalbox/protocol/link';
import { BackOff } from '../back-off.ts';
import type { Connection, Transport } from '../transport/transport.ts';
import { Outbox } from './outbox.ts';
import { Pace } from './pace.ts';

/** A node that has not welcomed the worker by then is not one. */
const WELCOME_MS = 10_000;
/** Beyond this the network does not keep up, and log lines are dropped before memory runs out. */
const BUFFERED_MAX = 4_194_304;
const WAITING_MAX = 5_000;
/** A node that asks for more would close the connection for it. */
const HEARTBEAT_MS_MIN = 10;
/** A connection that has lasted this long counts as a good one: the next is opened without a long wait. */
const LASTED_MS = 10_000;

/** The node is there and does not want it as it is: a key, a name or a rate must change first. */
const TURNED_AWAY: ReadonlySet<number> = new Set([
  CLOSE.invalid,
  CLOSE.unauthenticated,
  CLOSE.forbidden,
  CLOSE.replaced,
  CLOSE.tooFast,
]);

export type LinkEvent =
  | { readonly kind: 'connected' }
  | { readonly kind: 'welcomed'; readonly node: string }
  | { readonly kind: 'disconnected'; readonly code: number; readonly reason: string };

export interface LinkOwner {
  hello(link: Link): FromWorker;
  /** What the link says behind its first hello, and behind the one that answers `restate`. */
  resume(link: Link): void;
  received(link: Link, frames: readonly (FromNode | Unreadable)[]): void;
  foreignUse(link: Link): Resources;
  event(link: Link, event: LinkEvent): void;
}

/** The worker's side of the connection to one node: opened again and again, for ever. */
export class Link {
  readonly #transport: Transport;
  readonly #owner: LinkOwner;
  readonly #outbox = new Outbox((frames) => this.#connection?.send(frames));
  readonly #backOff = new BackOff();
  #connection: Connection | null = null;
  #welcomed = false;
  #welcomedAt = 0;
  #closing = false;
  #retry: NodeJS.Timeout | null = null;
  #welcomeDue: NodeJS.Timeout | null = null;
  #beats: NodeJS.Timeout | null = null;
  #heartbeatMs = 0;

  constructor(transport: Transport, owner: LinkOwner) {
    this.#transport = transport;
    this.#owner = owner;
  }

  get welcomed(): boolean {
    return this.#welcomed;
  }

  get heartbeatMs(): number {
    return this.#heartbeatMs;
  }

  /** Log lines may be lost; a task that waits for the network because it prints may not. */
  get congested(): boolean {
    const buffered = this.#connection?.bufferedBytes ?? 0;
    return buffered > BUFFERED_MAX || this.#outbox.length > WAITING_MAX;
  }

  open(): void {
    this.#retry = null;
    this.#connect().catch((error: unknown) => {
      // Where the worker itself could not say who it is, the connection is there and of no use.
      void this.#connection?.close(1002);
      this.#lost(0, String(error));
    });
  }

  /** Dropped where there is no connection: what must not be lost is said again by `resume`. */
  say(frame: FromWorker): void {
    if (this.#welcomed) this.#outbox.say(frame);
  }

  flush(): void {
    this.#outbox.flush();
  }

  /** What the worker holds for other nodes has changed. */
  tellForeignUse(): void {
    if (!this.#welcomed) return;
    const foreignUse = this.#owner.foreignUse(this);
    this.say({ kind: 'beat', foreignUse, progress: [] });
    this.#connection?.keepBeating?.({ everyMs: this.#heartbeatMs, foreignUse });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    // The last word goes out whatever the pace.
    this.#outbox.pace = null;
    this.#outbox.flush();
    const connection = this.#connection;
    this.#down();
    const gone = connection?.close(1000);
    this.#transport.dispose?.();
    await gone;
  }

  async #connect(): Promise<void> {
    // A connection that was given up may still call back; its word must not touch the next one.
    let mine: Connection | null = null;
    const live = () => mine !== null && mine === this.#connection;
    mine = await this.#transport.connect({
      received: (frames) => {
        if (live()) this.#received(frames);
      },
      closed: (code, reason) => {
        if (live()) this.#lost(code, reason);
      },
    });
    if (this.#closing) return void mine.close(1000);
    this.#connection = mine;
    this.#outbox.pace = mine.pace === undefined ? null : new Pace(mine.pace);
    this.#owner.event(this, { kind: 'connected' });
    this.#sayHello();
    this.#outbox.flush();
    this.#welcomeDue = setTimeout(() => {
      void mine.close(1002);
      if (live()) this.#lost(1002, 'the node sent no welcome in time');
    }, WELCOME_MS);
  }

  #received(frames: readonly (FromNode | Unreadable)[]): void {
    for (const frame of frames) {
      if (frame.kind === 'welcome' && !this.#welcomed) this.#welcome(frame);
      if (frame.kind === 'restate' && this.#welcomed) {
        this.#sayHello();
        this.#owner.resume(this);
      }
    }
    this.#owner.received(this, frames);
  }

  #welcome(frame: FromNode & { kind: 'welcome' }): void {
    this.#welcomed = true;
    if (this.#welcomeDue !== null) clearTimeout(this.#welcomeDue);
    this.#welcomedAt = performance.now();
    this.#heartbeatMs = Math.max(frame.heartbeatMs, HEARTBEAT_MS_MIN);
    this.#keepBeating();
    this.#owner.event(this, { kind: 'welcomed', node: frame.node });
    this.#owner.resume(this);
  }

  #keepBeating(): void {
    const everyMs = this.#heartbeatMs;
    const connection = this.#connection;
    if (connection?.keepBeating !== undefined) {
      connection.keepBeating({ everyMs, foreignUse: this.#owner.foreignUse(this) });
      return;
    }
    this.#beats = setInterval(() => {
      this.say({ kind: 'beat', foreignUse: this.#owner.foreignUse(this), progress: [] });
    }, everyMs);
  }

  #sayHello(): void {
    this.#outbox.say(this.#owner.hello(this));
  }

  #lost(code: number, reason: string): void {
    // Not at the welcome: a node that welcomes everybody and then fails would be asked without a pause.
    if (this.#welcomed && performance.now() - this.#welcomedAt >= LASTED_MS) this.#backOff.reset();
    this.#down();
    if (this.#closing) return;
    this.#owner.event(this, { kind: 'disconnected', code, reason });
    if (this.#closing) return;
    if (TURNED_AWAY.has(code)) this.#backOff.slow();
    this.#retry = setTimeout(() => this.open(), this.#backOff.nextMs());
  }

  #down(): void {
    this.#connection = null;
    this.#welcomed = false;
    if (this.#welcomeDue !== null) clearTimeout(this.#welcomeDue);
    if (this.#beats !== null) clearInterval(this.#beats);
    this.#beats = null;
    this.#outbox.clear();
  }
}
