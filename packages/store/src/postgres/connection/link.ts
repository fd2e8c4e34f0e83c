import { StoreError } from '../../errors.ts';
import { BackOff } from './back-off.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { storeErrorOf } from './failure.ts';

export interface LinkOptions extends ConnectionOptions {
  /** How long an unused connection is kept; without limit if left out. */
  readonly idleMsMax?: number;
}

/**
 * One connection that is opened when needed and again after it broke. Calls use it one after the other, in
 * order of arrival.
 */
export class Link {
  private readonly options: LinkOptions;
  private readonly backOff = new BackOff();
  private connection: Connection | null = null;
  private isClosed = false;
  private last: Promise<unknown> = Promise.resolve();
  private underWay = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(options: LinkOptions) {
    this.options = options;
  }

  /** Rejects with `unavailable` when there is no connection; nothing has been sent then. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    clearTimeout(this.idleTimer);
    const idle = this.idleConnection();
    // Before the work begins: calls that it makes have to wait for it.
    const { before, end } = this.queueUp();
    // Without a microtask in between: the server starts while the caller continues.
    const turn =
      idle === null ? before.then(async () => work(await this.open())) : (async () => work(idle))();
    turn.then(end, end);
    if (this.options.idleMsMax !== undefined) this.last.then(() => this.closeWhenIdle());
    return turn;
  }

  /** A place in the queue: the call before it, and how to leave the queue. */
  private queueUp(): { before: Promise<unknown>; end: () => void } {
    const before = this.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.last = promise;
    this.underWay++;
    const end = (): void => {
      this.underWay--;
      resolve();
    };
    return { before, end };
  }

  private idleConnection(): Connection | null {
    const { connection } = this;
    if (this.underWay > 0 || this.isClosed || connection === null || connection.isBroken)
      return null;
    return connection;
  }

  /** Waits for the calls under way, then hangs up. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.last;
    await this.hangUp();
  }

  private async hangUp(): Promise<void> {
    clearTimeout(this.idleTimer);
    const { connection } = this;
    this.connection = null;
    await connection?.close();
  }

  private closeWhenIdle(): void {
    clearTimeout(this.idleTimer);
    if (this.isClosed) return;
    this.idleTimer = setTimeout(() => {
      // A call that comes meanwhile must not take the connection that is being closed.
      const { before, end } = this.queueUp();
      before.then(() => this.hangUp()).then(end, end);
    }, this.options.idleMsMax);
    this.idleTimer.unref();
  }

  private async open(): Promise<Connection> {
    if (this.isClosed) throw new StoreError('unavailable', 'the store is closed');
    if (this.connection !== null && !this.connection.isBroken) return this.connection;
    if (this.backOff.isWaiting(performance.now())) {
      throw new StoreError('unavailable', 'PostgreSQL could not be reached a moment ago');
    }
    this.connection?.destroy();
    try {
      this.connection = await Connection.open(this.options);
    } catch (error) {
      this.backOff.failed(performance.now());
      throw storeErrorOf(error, true);
    }
    this.backOff.succeeded();
    return this.connection;
  }
}
