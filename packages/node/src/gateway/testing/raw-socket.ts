import { connect, type Socket } from 'node:net';
import { WORKER_PATH } from '../web-socket-server.ts';

/** A client that obeys nothing: it writes the bytes of WebSocket frames as it likes. */
export class RawSocket {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #look: () => void = () => {};

  private constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#look();
    });
    this.#socket.on('close', () => this.#look());
    this.#socket.on('error', () => {});
  }

  static async open(port: number, headers: string[] = [], path = WORKER_PATH): Promise<RawSocket> {
    const raw = new RawSocket(port);
    raw.#socket.write(
      [
        `GET ${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
        '\r\n',
      ].join('\r\n'),
    );
    return raw;
  }

  /** The status of the answer to the upgrade. */
  async status(): Promise<number> {
    await this.#when(() => this.#received.includes('\r\n\r\n'));
    return Number(this.#received.toString('latin1').split(' ')[1]);
  }

  write(bytes: Uint8Array | readonly number[]): void {
    this.#socket.write(Uint8Array.from(bytes));
  }

  /** The code of the close frame that the node sent; null where it only hung up. */
  async closeCode(): Promise<number | null> {
    await this.#when(() => this.#closeFrame() !== null || this.#socket.destroyed);
    const at = this.#closeFrame();
    return at === null ? null : this.#received.readUInt16BE(at + 2);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #closeFrame(): number | null {
    const body = this.#received.indexOf('\r\n\r\n') + 4;
    const at = this.#received.indexOf(0x88, body);
    return body < 4 || at < 0 || this.#received.length < at + 4 ? null : at;
  }

  async #when(until: () => boolean): Promise<void> {
    while (!until()) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }
}

/** A masked frame, with whatever first byte and length the test wants. */
export function maskedFrame(first: number, payload: Uint8Array): number[] {
  const length =
    payload.length < 126
      ? [0x80 | payload.length]
      : [0xfe, payload.length >> 8, payload.length & 255];
  return [first, ...length, 0, 0, 0, 0, ...payload];
}
