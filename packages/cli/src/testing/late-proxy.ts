import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands in front of a server that is reached only once the proxy is opened. */
export class LateProxy {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #server: Server | null = null;

  constructor(target: number) {
    this.#target = target;
  }

  /** A port on which nobody listens yet. */
  async reserve(): Promise<number> {
    const server = createServer();
    this.#port = await listen(server, 0);
    await new Promise((resolve) => server.close(resolve));
    return this.#port;
  }

  async open(): Promise<void> {
    this.#server = createServer((inside) => {
      const outside = connect(this.#target, '127.0.0.1');
      for (const socket of [inside, outside]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          inside.destroy();
          outside.destroy();
        });
      }
      inside.pipe(outside).pipe(inside);
    });
    await listen(this.#server, this.#port);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
