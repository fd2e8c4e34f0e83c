import pg from 'pg';
import { StoreError } from '../../errors.ts';
import { MessageWriter } from '../wire/message-writer.ts';
import { wantsNewConnection } from './failure.ts';
import { Pipeline, type PipelineOutcome } from './pipeline.ts';
import type { Step } from './step.ts';

export interface ConnectionOptions {
  readonly url: string;
  /** Whether statements are prepared under a name and parsed once; some poolers forbid it. */
  readonly prepare: boolean;
  readonly connectTimeoutMs: number;
  /** How long a response may take before the connection is closed. */
  readonly responseTimeoutMs: number;
}

/**
 * One session with the server. It keeps no state there (no SET, no LISTEN, no session lock), so a
 * pooler in transaction mode may put any server session behind it.
 */
export class Connection {
  private readonly client: pg.Client;
  private readonly options: ConnectionOptions;
  private readonly writer = new MessageWriter();
  private readonly parsed = new Set<string>();
  private broken = false;

  private constructor(client: pg.Client, options: ConnectionOptions) {
    this.client = client;
    this.options = options;
    const onGone = (): void => {
      this.broken = true;
    };
    client.on('error', onGone);
    client.on('end', onGone);
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    const client = new pg.Client({
      connectionString: options.url,
      connectionTimeoutMillis: options.connectTimeoutMs,
      application_name: 'signalbox',
      keepAlive: true,
    });
    const connection = new Connection(client, options);
    try {
      await client.connect();
    } catch (error) {
      connection.destroy();
      throw error;
    }
    return connection;
  }

  get isBroken(): boolean {
    return this.broken;
  }

  /** One statement by itself. Rejects with the error of the server or the socket. */
  async query<R extends object>(only: Step): Promise<R[]> {
    const outcome = await this.run([only]);
    if (outcome.kind !== 'done') throw outcome.error;
    return outcome.rows[0] as unknown as R[];
  }

  /** Plain text without parameters, several statements if need be: for schema changes. */
  async script(text: string): Promise<void> {
    try {
      await this.withDeadline(this.client.query(text));
    } catch (error) {
      if (wantsNewConnection(error)) this.destroy();
      throw error;
    }
  }

  /**
   * All steps in one round trip and one transaction. What comes of it is an outcome; it rejects
   * only when a value does not fit its column, before anything is sent.
   */
  async run(steps: readonly Step[]): Promise<PipelineOutcome> {
    const parsedNow: string[] = [];
    let bytes: Buffer;
    try {
      this.write(steps, parsedNow);
      bytes = this.writer.finish();
    } catch (error) {
      for (const name of parsedNow) this.parsed.delete(name);
      throw notWritable(error);
    }
    const outcome = await this.withDeadline(
      new Promise<PipelineOutcome>((resolve) => {
        this.client.query(new Pipeline(bytes, resolve));
      }),
    );
    // After a refusal it is unknown which of the new statements were parsed before the error.
    if (outcome.kind === 'refused') for (const name of parsedNow) this.parsed.delete(name);
    if (
      outcome.kind === 'lost' ||
      (outcome.kind === 'refused' && wantsNewConnection(outcome.error))
    )
      this.destroy();
    return outcome;
  }

  /** Closes the socket at once; requests in flight are lost. */
  destroy(): void {
    this.broken = true;
    // A half-open connection never responds to a terminate message.
    this.socket.destroy();
  }

  async close(): Promise<void> {
    this.broken = true;
    await this.client.end().catch(() => {});
  }

  private get socket(): { destroy(): void } {
    return (this.client as unknown as { connection: pg.Connection }).connection.stream;
  }

  private write(steps: readonly Step[], parsedNow: string[]): void {
    const { writer, parsed } = this;
    writer.reset();
    for (const { statement, parameterCount, bind, isRead } of steps) {
      const name = this.options.prepare ? statement.name : '';
      if (name === '') {
        writer.parse('', statement.text);
      } else if (!parsed.has(name)) {
        writer.parse(name, statement.text);
        parsed.add(name);
        parsedNow.push(name);
      }
      writer.bind(name, parameterCount);
      bind(writer);
      writer.execute(isRead);
    }
  }

  /** A server that disappeared never responds: the connection is closed after the deadline. */
  private async withDeadline<T>(response: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.destroy(), this.options.responseTimeoutMs);
    try {
      return await response;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * A message is limited to 2 GiB and a buffer to 4 GiB, so such a call can never succeed. Callers handle only
 * errors of the store; a RangeError would stop the node.
 */
function notWritable(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError('invalid', `a statement cannot be written: ${message}`, { cause: error });
}
