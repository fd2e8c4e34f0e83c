import {
  decodeFromNode,
  encodeFrames,
  FrameError,
  type FromNode,
  MESSAGE_BYTES_MAX,
  type Unreadable,
} from '@signalbox/protocol/link';
import { LinkThreadHost } from './link-thread-host.ts';
import type { Connection, ConnectionHandlers, Transport } from './transport.ts';

const PATH = '/api/v1/worker';
const PROTOCOL_ERROR = 1008;
/** Half of the limits of a node for one connection. */
const PACE = { messages: 1_000, frames: 100_000, bytes: 33_554_432 };

/** The thread is shared by all transports of the process, and ends with the last of them. */
let shared: { host: LinkThreadHost; users: number } | null = null;

function acquire(): LinkThreadHost {
  if (shared === null || shared.host.isDead) {
    shared = { host: new LinkThreadHost(), users: shared?.users ?? 0 };
  }
  return shared.host;
}

/** A WebSocket to one node, on a thread that runs no user code. `url` is the node's: `http://host:port`. */
export function webSocketTransport(params: { url: string; key: string }): Transport {
  const url = linkUrl(params.url);
  let isUser = false;
  return {
    connect: (handlers) => {
      const host = acquire();
      if (!isUser && shared !== null) shared.users += 1;
      isUser = true;
      return connectSocket({ host, url, key: params.key }, handlers);
    },
    dispose: () => {
      if (!isUser || shared === null) return;
      isUser = false;
      shared.users -= 1;
      if (shared.users > 0) return;
      shared.host.end();
      shared = null;
    },
  };
}

function linkUrl(text: string): string {
  const url = new URL(text);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.pathname === '/') url.pathname = PATH;
  return url.href;
}

function connectSocket(
  params: { host: LinkThreadHost; url: string; key: string },
  handlers: ConnectionHandlers,
): Promise<Connection> {
  const { host, url, key } = params;
  const buffered = new Int32Array(new SharedArrayBuffer(4));
  const opened = Promise.withResolvers<Connection>();
  const gone = Promise.withResolvers<void>();
  let isOpen = false;
  let closedByUs = false;
  /** Whether the node accepts columnar frames. */
  let packs = false;
  const close = (code = 1000): Promise<void> => {
    closedByUs = true;
    host.close(id, code);
    return gone.promise;
  };
  const id = host.open(
    { url, key, buffered, bytesMax: MESSAGE_BYTES_MAX },
    {
      opened: () => {
        isOpen = true;
        opened.resolve({
          send: (frames) => {
            const bytes = encodeFrames(frames, { packs });
            Atomics.add(buffered, 0, bytes.length);
            host.send(id, bytes);
          },
          close,
          pace: PACE,
          get bufferedBytes() {
            return Atomics.load(buffered, 0);
          },
          keepBeating: ({ everyMs, foreignUse }) => {
            const bytes = encodeFrames([{ kind: 'beat', foreignUse, progress: [] }]);
            host.beat({ id, everyMs, bytes });
          },
        });
      },
      received: (bytes) => {
        if (closedByUs) return;
        const frames = decode(bytes);
        if (frames !== null) {
          const [first] = frames;
          if (first?.kind === 'welcome') packs = first.packs === true;
          return handlers.received(frames);
        }
        void close(PROTOCOL_ERROR);
        handlers.closed(PROTOCOL_ERROR, 'the node sent a message that is not a frame');
      },
      closed: (code, reason) => {
        gone.resolve();
        if (!isOpen) opened.reject(new Error(`${url}: ${reason || `closed with ${code}`}`));
        else if (!closedByUs) handlers.closed(code, reason);
      },
    },
  );
  return opened.promise;
}

function decode(bytes: Uint8Array): (FromNode | Unreadable)[] | null {
  try {
    return decodeFromNode(bytes);
  } catch (error) {
    if (error instanceof FrameError) return null;
    throw error;
  }
}
