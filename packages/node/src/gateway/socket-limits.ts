import { MESSAGE_BYTES_MAX } from '@signalbox/protocol';

/** What one socket may send; a worker that stays within its own outbox is far below all of it. */
export interface SocketLimits {
  readonly messageBytesMax: number;
  readonly fragmentsMax: number;
  readonly connectionsMax: number;
  readonly messagesPerSecond: number;
  readonly framesPerSecond: number;
  readonly bytesPerSecond: number;
  /** How long a socket that is closed in order may take before it is cut. */
  readonly closeMs: number;
}

export const DEFAULT_SOCKET_LIMITS: SocketLimits = {
  messageBytesMax: MESSAGE_BYTES_MAX,
  fragmentsMax: 64,
  connectionsMax: 10_000,
  messagesPerSecond: 2_000,
  framesPerSecond: 200_000,
  bytesPerSecond: 67_108_864,
  closeMs: 2_000,
};
