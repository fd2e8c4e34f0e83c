import { parsePositions } from '../../packages/node/src/feed/positions.ts';
import type { DumpedRun } from './dump.ts';
import type { Streamed } from './history.ts';
import { judgeStreams } from './judges/event-streams.ts';
import type { Random } from './options.ts';
import { type Connection, openStream, type StreamEvent } from './sse.ts';
import type { System } from './system.ts';

const RECONNECT_MS = 100;
/** A node sends live events of its own partitions; those of others come when the stream is resumed. */
const RESUME_MS = 1_000;

/**
 * Follows GET /events of one tenant, first on one node; cuts its connection now and then, and resumes on
 * any node with the last id that it saw.
 */
export class EventWatcher {
  readonly #system: System;
  readonly #tenant: string;
  readonly #random: Random;
  readonly #ends: { run: string; state: string }[] = [];
  #partitions: ReadonlySet<number> = new Set();
  #port: number;
  #resets = 0;
  #lastEventId: string | null = null;
  #connection: Connection | null = null;
  #cutMsMax = 5_000;
  #isStopped = false;
  #onFirstId: () => void = () => {};
  readonly #running: Promise<void>;
  /** The position is known: from here on every end of its partitions is sent. */
  readonly started = new Promise<void>((resolve) => {
    this.#onFirstId = resolve;
  });

  constructor(params: { system: System; tenant: string; node: number; random: Random }) {
    this.#system = params.system;
    this.#tenant = params.tenant;
    this.#random = params.random;
    this.#port = params.system.ports[params.node] ?? 0;
    this.#running = this.#run();
  }

  /** Resumes often from now on, until the ends of all runs that it owes were sent, or for this long. */
  async caughtUp(runs: readonly DumpedRun[], patienceMs: number): Promise<void> {
    this.#cutMsMax = RESUME_MS;
    const until = Date.now() + patienceMs;
    while (judgeStreams([this.streamed], runs).length > 0 && Date.now() < until) {
      await pause(RECONNECT_MS);
    }
  }

  async stop(): Promise<Streamed> {
    this.#isStopped = true;
    this.#connection?.cut();
    await this.#running;
    return this.streamed;
  }

  get streamed(): Streamed {
    const partitions = this.#partitions;
    return { tenant: this.#tenant, partitions, ends: this.#ends, resets: this.#resets };
  }

  async #run(): Promise<void> {
    const { ports } = this.#system;
    while (!this.#isStopped) {
      await this.#connect();
      if (this.#lastEventId !== null) this.#port = ports[this.#random.int(ports.length)] ?? 0;
      await pause(RECONNECT_MS);
    }
  }

  async #connect(): Promise<void> {
    const { rootKey } = this.#system;
    const at = { port: this.#port, rootKey, tenant: this.#tenant, lastEventId: this.#lastEventId };
    this.#connection = openStream({ ...at, path: '/events' }, (event) => this.#take(event));
    const cut = setTimeout(this.#connection.cut, 300 + this.#random.int(this.#cutMsMax));
    await this.#connection.ended;
    clearTimeout(cut);
  }

  #take({ id, event, data }: StreamEvent): void {
    if (id !== undefined) {
      if (this.#lastEventId === null) {
        this.#partitions = new Set(parsePositions(id)?.keys() ?? []);
      }
      this.#lastEventId = id;
      this.#onFirstId();
    }
    if (event === 'reset') this.#resets++;
    if (event !== 'runEnded') return;
    const { run, state } = JSON.parse(data) as { run: string; state: string };
    this.#ends.push({ run, state });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
