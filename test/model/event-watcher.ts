import http from 'node:http';
import type { DumpedRun } from './dump.ts';
import type { Streamed } from './history.ts';
import type { Random } from './options.ts';
import type { System } from './system.ts';

const RECONNECT_MS = 100;

/** Follows GET /events of one tenant on one node; cuts its connection now and then, and resumes. */
export class EventWatcher {
  readonly #system: System;
  readonly #tenant: string;
  readonly #random: Random;
  readonly #ends: { run: string; state: string }[] = [];
  #resets = 0;
  #lastEventId: string | null = null;
  #request: http.ClientRequest | null = null;
  #isCutting = true;
  #isStopped = false;
  #onFirstId: () => void = () => {};
  readonly #running: Promise<void>;
  /** The position is known: from here on every end is sent. */
  readonly started = new Promise<void>((resolve) => {
    this.#onFirstId = resolve;
  });

  constructor(params: { system: System; tenant: string; random: Random }) {
    this.#system = params.system;
    this.#tenant = params.tenant;
    this.#random = params.random;
    this.#running = this.#run();
  }

  /** Stays connected from now on, until the ends of the tenant's runs were sent, or for this long. */
  async caughtUp(runs: readonly DumpedRun[], patienceMs: number): Promise<void> {
    this.#isCutting = false;
    const own = runs.filter(({ tenant }) => tenant === this.#tenant);
    const until = Date.now() + patienceMs;
    const isBehind = (): boolean => {
      const seen = new Set(this.#ends.map(({ run }) => run));
      return this.#resets === 0 && own.some(({ id }) => !seen.has(id));
    };
    while (isBehind() && Date.now() < until) await pause(RECONNECT_MS);
  }

  async stop(): Promise<Streamed> {
    this.#isStopped = true;
    this.#request?.destroy();
    await this.#running;
    return { tenant: this.#tenant, ends: this.#ends, resets: this.#resets };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#connect();
      await pause(RECONNECT_MS);
    }
  }

  /** Resolves when the connection has ended, whichever side closed it. */
  #connect(): Promise<void> {
    const { port, rootKey } = this.#system.firstNode;
    return new Promise((resolve) => {
      const request = http.get({
        host: '127.0.0.1',
        port,
        path: '/api/v1/events',
        agent: false,
        headers: {
          authorization: `Bearer ${rootKey}`,
          'signalbox-tenant': this.#tenant,
          ...(this.#lastEventId === null ? {} : { 'last-event-id': this.#lastEventId }),
        },
      });
      this.#request = request;
      const cutAfterMs = 300 + this.#random.int(5_000);
      const cut = setTimeout(() => this.#isCutting && request.destroy(), cutAfterMs);
      request.on('response', (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          if (response.statusCode !== 200) return;
          const blocks = (rest + text).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) this.#take(block);
        });
        response.on('error', () => {});
        response.on('close', () => request.destroy());
      });
      request.on('error', () => {});
      request.on('close', () => {
        clearTimeout(cut);
        resolve();
      });
    });
  }

  #take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(': ');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
    const id = fields.get('id');
    if (id !== undefined) {
      this.#lastEventId = id;
      this.#onFirstId();
    }
    const event = fields.get('event');
    if (event === 'reset') this.#resets++;
    if (event !== 'runEnded') return;
    const { run, state } = JSON.parse(fields.get('data') ?? '{}') as { run: string; state: string };
    this.#ends.push({ run, state });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
