// The worker's side of the connection to one node, reopened until the worker stops.
//
//              connect                      welcome
//   waiting ────────────▶ connected ─────────────────▶ welcomed
//      ▲    ◀── failed        │ no welcome in 10 s,       │ closed,
//      │                      │ closed                    │ lost
//      └───── back-off ◀──────┴───────────────────────────┘
//   close(), in any state ──▶ closed, for good
//
// Called by: `Worker` (open, close), `AttemptRunner` and the report room (send). Calls its `LinkOwner`.
// Atomic: frames that are sent in one turn form one message, in order (`Outbox`). `hello` is the first frame
// of a connection; everything else is dropped until the node has sent `welcome`.
// Can fail: the connection may be lost at any time together with the frames in flight. The owner sends
// everything that must not be lost again in `resume`, after each `welcome` and each `restate`. Callbacks of
// an earlier connection are ignored.
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

/** The connection is closed if the node has not sent `welcome` by then. */
const WELCOME_MS = 10_000;
/** More means that the network is too slow; log lines are dropped to limit memory. */
const BUFFERED_MAX = 4_194_304;
const WAITING_MAX = 5_000;
/** The node closes a connection that beats faster. */
const HEARTBEAT_MS_MIN = 10;
/** After a connection that lasted this long, the back-off starts from its shortest delay. */
const LASTED_MS = 10_000;

/** The node rejected the worker; reconnecting helps only after a key, a name or a rate has changed. */
const REJECTED: ReadonlySet<number> = new Set([
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
  /** Sends everything that may have been lost, after `welcome` and after `restate`. */
  resume(link: Link): void;
  received(link: Link, frames: readonly (FromNode | Unreadable)[]): void;
  foreignUse(link: Link): Resources;
  event(link: Link, event: LinkEvent): void;
}

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

  /** Whether log lines are dropped: a task must not wait for the network because it prints. */
  get congested(): boolean {
    const buffered = this.#connection?.bufferedBytes ?? 0;
    return buffered > BUFFERED_MAX || this.#outbox.length > WAITING_MAX;
  }

  open(): void {
    this.#retry = null;
    this.#connect().catch((error: unknown) => {
      // The connection may be open: the owner may have failed to build the hello.
      void this.#connection?.close(1002);
      this.#lost(0, String(error));
    });
  }

  /** Drops the frame unless the node has welcomed the worker; `resume` sends again what must not be lost. */
  send(frame: FromWorker): void {
    if (this.#welcomed) this.#outbox.send(frame);
  }

  flush(): void {
    this.#outbox.flush();
  }

  /** Reports a change of the use by other nodes. */
  sendForeignUse(): void {
    if (!this.#welcomed) return;
    const foreignUse = this.#owner.foreignUse(this);
    this.send({ kind: 'beat', foreignUse, progress: [] });
    this.#connection?.keepBeating?.({ everyMs: this.#heartbeatMs, foreignUse });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    // The last frames are sent without a rate limit.
    this.#outbox.pace = null;
    this.#outbox.flush();
    const connection = this.#connection;
    this.#down();
    const gone = connection?.close(1000);
    this.#transport.dispose?.();
    await gone;
  }

  async #connect(): Promise<void> {
    // An earlier connection may still call back and must not affect the next one.
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
    this.#sendHello();
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
        this.#sendHello();
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
      this.send({ kind: 'beat', foreignUse: this.#owner.foreignUse(this), progress: [] });
    }, everyMs);
  }

  #sendHello(): void {
    this.#outbox.send(this.#owner.hello(this));
  }

  #lost(code: number, reason: string): void {
    // Not on welcome: a node that welcomes workers and then fails would be contacted without any delay.
    if (this.#welcomed && performance.now() - this.#welcomedAt >= LASTED_MS) this.#backOff.reset();
    this.#down();
    if (this.#closing) return;
    this.#owner.event(this, { kind: 'disconnected', code, reason });
    if (this.#closing) return;
    if (REJECTED.has(code)) this.#backOff.slow();
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
