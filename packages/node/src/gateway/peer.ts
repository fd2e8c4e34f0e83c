import type { FromNode, FromWorker, Unreadable } from '@signalbox/protocol';
import type { Origin } from '../operations/audit/refused-reports.ts';

/** The far end of a link as the gateway sees it: a socket, or a worker in the same process. */
export interface Peer {
  send(frames: readonly FromNode[]): void;
  close(code: number, reason: string): void;
  /** Handed over, but not yet taken by the far end. */
  readonly bufferedBytes: number;
  /** Absent for a worker in this process, and until the key is known. */
  readonly origin?: Origin | null;
}

/** The near end: the transport passes received frames to it. */
export interface Session {
  receive(frames: readonly (FromWorker | Unreadable)[]): void;
  /** The connection is closed, by either side. */
  closed(): void;
}
