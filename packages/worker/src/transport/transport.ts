import type { FromNode, FromWorker, Resources, Unreadable } from '@signalbox/protocol/link';

/** Maximum rates of a connection, per second. A node closes a connection that exceeds twice these. */
export interface PaceLimits {
  readonly messages: number;
  readonly frames: number;
  readonly bytes: number;
}

/** A way to send frames to one node: a socket, or a call in the same process. */
export interface Transport {
  /** Rejects if the node cannot be reached. Calls no handler before it has resolved. */
  connect(handlers: ConnectionHandlers): Promise<Connection>;
  /** The worker will not use it again. */
  dispose?(): void;
}

export interface ConnectionHandlers {
  received(frames: readonly (FromNode | Unreadable)[]): void;
  /** Called once, and not if the worker closed the connection. */
  closed(code: number, reason: string): void;
}

export interface Connection {
  send(frames: readonly FromWorker[]): void;
  /** Sends pending frames first; a promise resolves when they are sent. */
  close(code?: number): void | Promise<void>;
  /** Bytes that are not written to the network yet; absent if the transport has no buffer. */
  readonly bufferedBytes?: number;
  /** Rate limits; absent for none. */
  readonly pace?: PaceLimits;
  /**
   * Sends beats from now on, outside of the thread that runs handlers. If absent, the worker sends them, and
   * a handler that blocks the event loop makes the worker look dead.
   */
  keepBeating?(params: { everyMs: number; foreignUse: Resources }): void;
}
