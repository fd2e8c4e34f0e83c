import type { FromNode, FromWorker } from '@signalbox/protocol/link';
import type { ConnectionHandlers, Transport } from './transport.ts';

/** What a node's gateway sees of the worker, and what it gives back. */
export interface InProcessPeer {
  send(frames: readonly FromNode[]): void;
  close(code: number, reason: string): void;
  readonly bufferedBytes: number;
}
export interface InProcessSession {
  receive(frames: readonly FromWorker[]): void;
  closed(): void;
}

/**
 * Node and worker in one process: frames are handed over as objects, later and never from within
 * the call that said them, so that both sides behave as they do over a socket. The worker beats on
 * the event loop that it shares with the node: a handler that blocks it blocks the node as well.
 */
export function inProcessTransport(params: {
  open(peer: InProcessPeer): InProcessSession;
}): Transport {
  return {
    connect: async (handlers) => connectInProcess(params.open, handlers),
  };
}

function connectInProcess(
  open: (peer: InProcessPeer) => InProcessSession,
  handlers: ConnectionHandlers,
) {
  let isOpen = true;
  const toWorker = new Handover<FromNode>((frames) => {
    if (isOpen) handlers.received(frames);
  });
  const session = open({
    send: (frames) => toWorker.put(frames),
    close: (code, reason) => {
      // Behind what was said before it, as on a socket.
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

/** Gathers what is said in one turn and hands it over in the next. */
class Handover<Frame> {
  #frames: Frame[] = [];
  readonly #give: (frames: readonly Frame[]) => void;

  constructor(give: (frames: readonly Frame[]) => void) {
    this.#give = give;
  }

  put(frames: readonly Frame[]): void {
    if (this.#frames.length === 0) setImmediate(() => this.flush());
    for (const frame of frames) this.#frames.push(frame);
  }

  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    if (frames.length > 0) this.#give(frames);
  }
}
