import type { FromNode, FromWorker, Resources, Unreadable } from '@signalbox/protocol/link';

/** Maximum rates of a connection, per second. A node closes a connection that exceeds twice these. */
export interface PaceLimits {
  readonly messages: number;
  readonly frames: number;
  readonly bytes: number;
}

/** How frames get to one node. The worker does not know which kind it is. */
export interface Transport {
  /** Rejects where the node cannot be reached. Never calls a handler before it has resolved. */
  connect(handlers: ConnectionHandlers): Promise<Connection>;
  /** The worker is done with it for good. */
  dispose?(): void;
}

export interface ConnectionHandlers {
  received(frames: readonly (FromNode | Unreadable)[]): void;
  /** Once, and not where the worker closed it itself. */
  closed(code: number, reason: string): void;
}

export interface Connection {
  send(frames: readonly FromWorker[]): void;
  /** What was sent before goes out first; a promise resolves when it has. */
  close(code?: number): void | Promise<void>;
  /** Said and not yet with the network; absent where nothing is buffered. */
  readonly bufferedBytes?: number;
  /** How much it may carry; absent for as much as there is. */
  readonly pace?: PaceLimits;
  /**
   * Beats by itself from here on, off the thread that runs handlers. Where it is absent the worker
   * beats, and a handler that blocks the event loop makes it look dead.
   */
  keepBeating?(params: { everyMs: number; foreignUse: Resources }): void;
}
