import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import type { Gateway } from '../gateway.ts';
import { DEFAULT_SOCKET_LIMITS } from '../socket-limits.ts';
import { WorkerSocket, type WorkerSocketParams } from '../worker-socket.ts';

/** The node's end of a socket without a network, so that a million messages take minutes, not hours. */
export class LoopbackSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  code: number | null = null;

  constructor(gateway: Gateway) {
    super();
    const open: WorkerSocketParams['open'] = (peer) => gateway.open(peer, { isChecked: true });
    const socket = this as unknown as WebSocket;
    new WorkerSocket({ socket, limits: DEFAULT_SOCKET_LIMITS, open, admit: null });
  }

  /** As a message that arrived. */
  arrive(message: Uint8Array | string): void {
    this.emit('message', Buffer.from(message as string), typeof message !== 'string');
  }

  send(): void {}

  pause(): void {}

  resume(): void {}

  close(code: number): void {
    this.code ??= code;
    this.terminate();
  }

  terminate(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.emit('close');
  }
}
