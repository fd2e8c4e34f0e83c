import type { FromNode, FromWorker } from '@signalbox/protocol/link';
import type { ConnectionHandlers, Transport } from './transport.ts';

/** The worker as the gateway of a node sees it. */
export interface InProcessWorker {
  send(frames: readonly FromNode[]): void;
  close(code: number, reason: string): void;
  readonly bufferedBytes: number;
}

/** The session that the gateway opens for it. */
export interface InProcessSession {
  receive(frames: readonly FromWorker[]): void;
  closed(): void;
}

/**
 * Node and worker in one process: frames are delivered as objects in a later turn, so that both sides behave
 * as over a socket. The worker beats on the event loop that it shares with the node: a handler that blocks
 * it blocks the node as well.
 */
export function inProcessTransport(params: {
  open(worker: InProcessWorker): InProcessSession;
}): Transport {
  return {
    connect: async (handlers) => connectInProcess(params.open, handlers),
  };
}

function connectInProcess(
  open: (worker: InProcessWorker) => InProcessSession,
  handlers: ConnectionHandlers,
) {
  let isOpen = true;
  const toWorker = new Handover<FromNode>((frames) => {
    if (isOpen) handlers.received(frames);
  });
  const session = open({
    send: (frames) => toWorker.put(frames),
    close: (code, reason) => {
      // After the frames that were sent before, as over a socket.
      setImmediate(() => {
        if (!isOpen) return;
        isOpen = false;
        session.closed();
        handlers.closed(code, reason);
      });
    },
    bufferedBytes: 0,
  });
  const toNode = new Handover<FromWorker>((frames) => {
    if (isOpen) session.receive(frames);
  });
  return {
    send: (frames: readonly FromWorker[]) => toNode.put(frames),
    close: () => {
      if (!isOpen) return;
      toNode.flush();
      isOpen = false;
      session.closed();
    },
  };
}

/** Collects the frames of one turn and delivers them in the next. */
class Handover<Frame> {
  #frames: Frame[] = [];
  readonly #deliver: (frames: readonly Frame[]) => void;

  constructor(deliver: (frames: readonly Frame[]) => void) {
    this.#deliver = deliver;
  }

  put(frames: readonly Frame[]): void {
    if (this.#frames.length === 0) setImmediate(() => this.flush());
    for (const frame of frames) this.#frames.push(frame);
  }

  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    if (frames.length > 0) this.#deliver(frames);
  }
}
