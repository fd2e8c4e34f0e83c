import { StoreError } from '../../errors.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { Link } from './link.ts';

interface Waiter {
  readonly take: (link: Link) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A fixed number of links for calls that may run side by side. A call that finds all of them busy
 * waits for a bounded time: a storm of reads ends in `unavailable`, not in a thousand connections.
 */
export class LinkPool {
  private readonly links: readonly Link[];
  private readonly idle: Link[];
  private readonly waiting: Waiter[] = [];
  private readonly waitMsMax: number;

  constructor(options: ConnectionOptions & { readonly size: number; readonly waitMsMax: number }) {
    this.links = Array.from({ length: options.size }, () => new Link(options));
    this.idle = this.links.toReversed();
    this.waitMsMax = options.waitMsMax;
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const link = this.idle.pop() ?? (await this.nextFree());
    try {
      return await link.use(work);
    } finally {
      this.release(link);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.links.map((link) => link.close()));
  }

  private nextFree(): Promise<Link> {
    return new Promise((take, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(
          new StoreError('unavailable', `no connection became free within ${this.waitMsMax} ms`),
        );
      }, this.waitMsMax);
      const waiter = { take, timer };
      this.waiting.push(waiter);
    });
  }

  private release(link: Link): void {
    const waiter = this.waiting.shift();
    if (waiter === undefined) {
      // Last in, first out: in quiet times one connection does everything and the rest stay shut.
      this.idle.push(link);
      return;
    }
    clearTimeout(waiter.timer);
    waiter.take(link);
  }
}
