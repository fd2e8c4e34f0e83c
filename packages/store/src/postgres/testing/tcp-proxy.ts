import { connect, createServer, type Server, type Socket } from 'node:net';

/** One client's way through the proxy. */
interface Way {
  readonly client: Socket;
  readonly server: Socket;
  /** Requests that the server has not seen yet; null while they pass. */
  held: Buffer[] | null;
  swallowsAnswers: boolean;
}

/**
 * A network that misbehaves on purpose. It watches what clients send; once told to, it treats the
 * first connection that sends a given text as asked, and leaves the others alone.
 */
export class TcpProxy {
  readonly url: string;
  private readonly listener: Server;
  private readonly ways = new Set<Way>();
  private rule: { text: string; act: (way: Way) => void } | null = null;

  private constructor(listener: Server, url: string) {
    this.listener = listener;
    this.url = url;
  }

  static async before(url: string): Promise<TcpProxy> {
    const target = new URL(url);
    const listener = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String(typeof address === 'object' ? address?.port : 0);
    const proxy = new TcpProxy(listener, own.href);
    listener.on('connection', (client) => {
      proxy.carry(client, connect(Number(target.port), target.hostname));
    });
    return proxy;
  }

  /** The server does the work, the client never hears of it. */
  swallowAnswerTo(text: string): void {
    this.rule = {
      text,
      act: (way) => {
        way.swallowsAnswers = true;
      },
    };
  }

  /** The request arrives, but the client is cut off at once. */
  cutOffAfter(text: string): void {
    this.rule = {
      text,
      act: (way) => {
        way.swallowsAnswers = true;
        way.client.resetAndDestroy();
      },
    };
  }

  /** The request stays in the network until `release`, also when the client has hung up. */
  holdRequest(text: string): void {
    this.rule = {
      text,
      act: (way) => {
        way.held = [];
      },
    };
  }

  /** Lets held requests arrive; resolves when the server has answered or hung up. */
  async release(): Promise<void> {
    for (const way of this.ways) {
      if (way.held === null) continue;
      const answered = new Promise((resolve) => {
        way.server.once('data', resolve);
        way.server.once('close', resolve);
      });
      for (const chunk of way.held) way.server.write(chunk);
      way.held = null;
      await answered;
    }
  }

  get isHolding(): boolean {
    return [...this.ways].some(({ held }) => held !== null && held.length > 0);
  }

  async close(): Promise<void> {
    for (const { client, server } of this.ways) {
      client.destroy();
      server.destroy();
    }
    await new Promise((resolve) => this.listener.close(resolve));
  }

  private carry(client: Socket, server: Socket): void {
    const way: Way = { client, server, held: null, swallowsAnswers: false };
    this.ways.add(way);
    client.on('data', (chunk) => {
      if (this.rule !== null && chunk.includes(this.rule.text)) {
        this.rule.act(way);
        this.rule = null;
      }
      if (way.held === null) server.write(chunk);
      else way.held.push(chunk);
    });
    server.on('data', (chunk) => {
      if (!way.swallowsAnswers) client.write(chunk);
    });
    // The server's side stays open when the client goes: what is on its way still arrives.
    client.on('end', () => {
      if (way.held === null && !way.swallowsAnswers) server.end();
    });
    server.on('end', () => client.end());
    for (const socket of [client, server]) socket.on('error', () => {});
  }
}
