import {
  CLOSE,
  decodeFromWorker,
  encodeFrames,
  FrameError,
  type FromNode,
  type FromWorker,
  MESSAGE_BYTES_MAX,
  type Unreadable,
} from '@signalbox/protocol';
import type { WebSocket } from 'ws';
import type { Origin } from '../operations/audit/refused-reports.ts';
import type { Peer, Session } from './peer.ts';
import { Rate } from './rate.ts';
import type { SocketLimits } from './socket-limits.ts';

/** A worker starts with the first message while the next is encoded. */
const FRAMES_AT_ONCE = 128;
/** What a close frame has room for. */
const REASON_BYTES_MAX = 123;

export interface WorkerSocketParams {
  readonly socket: WebSocket;
  readonly limits: SocketLimits;
  readonly open: (peer: Peer) => Session;
  /** Null until the key is known. */
  readonly origin?: () => Origin | null;
  /** Null where the key came with the request; else the key in the `hello` is looked at here. */
  readonly admit: ((key: string | undefined) => Promise<Verdict>) | null;
}

type Received = FromWorker | Unreadable;

export type Verdict = { readonly code: number; readonly reason: string } | 'admitted';

/** A connection over a socket: decodes and encodes messages, and enforces the limits of the worker. */
export class WorkerSocket implements Peer {
  readonly #p: WorkerSocketParams;
  readonly #session: Session;
  readonly #messages: Rate;
  readonly #frames: Rate;
  readonly #bytes: Rate;
  #admitted: boolean;
  /** The worker reads columnar frames, as stated in its `hello`. */
  #packs = false;
  #closing = false;
  /** Frames that arrived while the key was checked. */
  #waiting: Received[] | null = null;

  constructor(params: WorkerSocketParams) {
    this.#p = params;
    this.#admitted = params.admit === null;
    const { socket, limits } = params;
    this.#messages = new Rate(limits.messagesPerSecond);
    this.#frames = new Rate(limits.framesPerSecond);
    this.#bytes = new Rate(limits.bytesPerSecond);
    this.#session = params.open(this);
    socket.on('message', (data, isBinary) => this.#message(data as Buffer, isBinary));
    socket.on('ping', () => this.#control());
    socket.on('pong', () => this.#control());
    socket.on('close', () => this.#session.closed());
    // Broken framing: the library has answered with the right code, and `close` follows.
    socket.on('error', () => {});
  }

  get bufferedBytes(): number {
    return this.#p.socket.bufferedAmount;
  }

  get origin(): Origin | null {
    return this.#p.origin?.() ?? null;
  }

  send(frames: readonly FromNode[]): void {
    for (let at = 0; at < frames.length; at += FRAMES_AT_ONCE) {
      const isAll = frames.length <= FRAMES_AT_ONCE;
      this.#send(isAll ? frames : frames.slice(at, at + FRAMES_AT_ONCE));
    }
  }

  #send(frames: readonly FromNode[]): void {
    const { socket } = this.#p;
    if (socket.readyState !== socket.OPEN) return;
    const message = encodeFrames(frames, { packs: this.#packs });
    if (message.length <= MESSAGE_BYTES_MAX || frames.length === 1) {
      socket.send(message, () => {});
      return;
    }
    const middle = Math.ceil(frames.length / 2);
    this.#send(frames.slice(0, middle));
    this.#send(frames.slice(middle));
  }

  close(code: number, reason: string): void {
    const { socket, limits } = this.#p;
    if (this.#closing) return;
    this.#closing = true;
    socket.close(code, cutToBytes(reason));
    // A far end that does not read does not answer either: it would hold its buffers for long.
    const timer = setTimeout(() => socket.terminate(), limits.closeMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #message(data: Buffer, isBinary: boolean): void {
    const { socket } = this.#p;
    if (socket.readyState !== socket.OPEN) return;
    if (!this.#messages.take(1) || !this.#bytes.take(data.length)) return this.#tooFast();
    if (!isBinary) return this.end(CLOSE.protocol, 'messages must be binary');
    let frames: Received[];
    try {
      frames = decodeFromWorker(data);
    } catch (error) {
      if (!(error instanceof FrameError))
        return this.end(CLOSE.protocol, 'the message cannot be read');
      return this.end(error.isOfHello ? CLOSE.invalid : CLOSE.protocol, error.message);
    }
    if (!this.#frames.take(frames.length)) return this.#tooFast();
    const first = frames[0];
    if (first?.kind === 'hello') this.#packs = first.packs === true;
    this.#received(frames);
  }

  #received(frames: Received[]): void {
    if (this.#admitted) return this.#session.receive(frames);
    if (this.#waiting !== null) {
      // Bounded by the rates: what may come until the key is known is a few seconds' worth.
      for (const frame of frames) this.#waiting.push(frame);
      return;
    }
    const first = frames[0];
    if (first === undefined) return;
    if (first.kind !== 'hello') return this.end(CLOSE.protocol, 'the first frame must be hello');
    this.#waiting = frames;
    void this.#look(first.key);
  }

  async #look(key: string | undefined): Promise<void> {
    const { socket, admit } = this.#p;
    // What the network brings meanwhile stays there.
    socket.pause();
    const verdict = admit === null ? 'admitted' : await admit(key);
    const frames = this.#waiting ?? [];
    this.#waiting = null;
    if (socket.readyState !== socket.OPEN) return;
    socket.resume();
    if (verdict !== 'admitted') return this.end(verdict.code, verdict.reason);
    this.#admitted = true;
    this.#session.receive(frames);
  }

  #control(): void {
    if (!this.#closing && !this.#messages.take(1)) this.#tooFast();
  }

  #tooFast(): void {
    this.end(CLOSE.tooFast, 'the worker sends too fast');
  }

  /** Frames that arrive until the socket is closed are ignored. */
  end(code: number, reason: string): void {
    this.#session.closed();
    this.close(code, reason);
  }
}

function cutToBytes(reason: string): string {
  if (Buffer.byteLength(reason) <= REASON_BYTES_MAX) return reason;
  // A cut through a character would leave bytes that are no UTF-8, which a close frame may not have.
  return Buffer.from(reason)
    .subarray(0, REASON_BYTES_MAX - 3)
    .toString()
    .replaceAll('\uFFFD', '');
}
