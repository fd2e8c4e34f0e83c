// The thread that owns the sockets to the nodes. It transports bytes, not frames, and runs no user code: a
// handler that blocks the main thread for a minute does not make the worker look dead. It imports only the
// socket library, because its imports delay the first task.
import { parentPort } from 'node:worker_threads';
import WebSocket from 'ws';
import type { FromLinkThread, ToLinkThread } from './link-messages.ts';

const HANDSHAKE_MS = 10_000;
/** A node that is silent for this many beats counts as lost. */
const SILENT_BEATS = 4;
const CLOSE_MS = 2_000;

const port = parentPort as NonNullable<typeof parentPort>;
const sockets = new Map<number, Socket>();
let isEnding = false;

class Socket {
  readonly #id: number;
  readonly #socket: WebSocket;
  readonly #buffered: Int32Array;
  #beats: NodeJS.Timeout | null = null;
  #beatMs = 0;
  #beat: Uint8Array = new Uint8Array();
  #silentBeats = 0;

  constructor(message: ToLinkThread & { kind: 'open' }) {
    this.#id = message.id;
    this.#buffered = message.buffered;
    this.#socket = new WebSocket(message.url, {
      headers: { authorization: `Bearer ${message.key}` },
      perMessageDeflate: false,
      maxPayload: message.bytesMax,
      handshakeTimeout: HANDSHAKE_MS,
    });
    let failure = '';
    this.#socket.on('open', () => post({ kind: 'opened', id: this.#id }));
    this.#socket.on('message', (data: Buffer) => this.#received(data));
    this.#socket.on('pong', () => {
      this.#silentBeats = 0;
    });
    this.#socket.on('error', (error) => {
      failure = error.message;
    });
    this.#socket.on('close', (code, reason) => this.#closed(code, String(reason) || failure));
  }

  send(bytes: Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(bytes, () => Atomics.sub(this.#buffered, 0, bytes.length));
  }

  beat({ everyMs, bytes }: { everyMs: number; bytes: Uint8Array }): void {
    this.#beat = bytes;
    // The interval is not restarted: the use by other nodes may change more often than the worker beats, and
    // then a lost node would never be noticed.
    if (this.#beats !== null && this.#beatMs === everyMs) return;
    if (this.#beats !== null) clearInterval(this.#beats);
    this.#beatMs = everyMs;
    this.#beats = setInterval(() => this.#onBeat(), everyMs);
  }

  #onBeat(): void {
    this.#silentBeats += 1;
    if (this.#silentBeats > SILENT_BEATS) return this.#socket.terminate();
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(this.#beat);
    this.#socket.ping();
  }

  /** Stops waiting for a node that does not respond. */
  giveUpOpening(): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
  }

  close(code: number): void {
    this.#socket.close(code);
    setTimeout(() => this.#socket.terminate(), CLOSE_MS).unref();
  }

  #received(data: Buffer): void {
    this.#silentBeats = 0;
    // A copy: the socket's chunk is shared with other messages.
    const bytes = new Uint8Array(data);
    port.postMessage({ kind: 'received', id: this.#id, bytes } satisfies FromLinkThread, [
      bytes.buffer,
    ]);
  }

  #closed(code: number, reason: string): void {
    if (this.#beats !== null) clearInterval(this.#beats);
    sockets.delete(this.#id);
    post({ kind: 'closed', id: this.#id, code, reason });
    endIfIdle();
  }
}

function post(message: FromLinkThread): void {
  port.postMessage(message);
}

function endIfIdle(): void {
  if (isEnding && sockets.size === 0) port.close();
}

function received(message: ToLinkThread): void {
  switch (message.kind) {
    case 'open':
      sockets.set(message.id, new Socket(message));
      return;
    case 'send':
      return sockets.get(message.id)?.send(message.bytes);
    case 'beat':
      return sockets.get(message.id)?.beat(message);
    case 'close':
      return sockets.get(message.id)?.close(message.code);
    case 'end':
      isEnding = true;
      for (const socket of sockets.values()) socket.giveUpOpening();
      return endIfIdle();
  }
}

port.on('message', received);
