import type { FromNode, FromWorker, Unreadable } from '@signalbox/protocol';

/** The far end of a link as the gateway sees it: a socket, or a worker in the same process. */
export interface Peer {
  send(frames: readonly FromNode[]): void;
  close(code: number, reason: string): void;
  /** Handed over, but not yet taken by the far end. */
  readonly bufferedBytes: number;
}

/** The near end: whoever carries the frames hands them in here. */
export interface Session {
  receive(frames: readonly (FromWorker | Unreadable)[]): void;
  /** The link is gone, whoever ended it. */
  closed(): void;
}
