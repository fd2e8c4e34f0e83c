import type { Store } from '@signalbox/store';
import type { Client } from './client.ts';
import { readJournal } from './evidence/rows.ts';
import type { History, ScheduleChange } from './history.ts';
import type { Random } from './options.ts';

export const SCHEDULE = 'beat';
export const WINDOW_MS = 1_000;

/** Saves one schedule of a tenant, and pauses and resumes it now and then. */
export class ScheduleActor {
  readonly #clients: readonly Client[];
  readonly #random: Random;
  readonly #history: History;
  readonly #tenant: string;
  #isPaused = false;

  constructor(params: {
    clients: readonly Client[];
    random: Random;
    history: History;
    tenant: string;
  }) {
    this.#clients = params.clients;
    this.#random = params.random;
    this.#history = params.history;
    this.#tenant = params.tenant;
  }

  async runUntil(endAt: number): Promise<void> {
    const body = {
      job: 'windows',
      every: WINDOW_MS,
      catchUp: { maxWindows: 100, order: 'oldest' },
      input: { ms: 1 },
    };
    await this.#change('saved', 'PUT', { path: '', body });
    while (Date.now() < endAt) {
      await new Promise((resolve) => setTimeout(resolve, 1_000 + this.#random.int(8_000)));
      if (this.#isPaused) await this.#change('resumed', 'POST', { path: '/resume' });
      else if (this.#random.next() < 0.4) await this.#change('paused', 'POST', { path: '/pause' });
    }
    if (this.#isPaused) await this.#change('resumed', 'POST', { path: '/resume' });
  }

  /** After everything has come to rest: no window opens after this. */
  async stop(): Promise<void> {
    await this.#change('paused', 'POST', { path: '/pause' });
  }

  /** After its windows were read: the story of a schedule ends with its removal. */
  async remove(): Promise<void> {
    await this.#change('deleted', 'DELETE', { path: '' });
  }

  /** Resolves when the owner has recorded the removal, or after this time. */
  async removed(store: Store, patienceMs: number): Promise<void> {
    const until = Date.now() + patienceMs;
    const partitions = (await store.listLeases()).map(({ partition }) => partition);
    while (Date.now() < until) {
      const journal = await readJournal(store, partitions);
      const isRemoved = journal.some(({ facts }) => {
        return facts.some((each) => {
          return each.kind === 'scheduleFact' && each.fact.kind === 'scheduleRemoved';
        });
      });
      if (isRemoved) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async #change(
    what: ScheduleChange['what'],
    method: string,
    { path, body }: { path: string; body?: object },
  ): Promise<void> {
    const tenant = this.#tenant;
    const invokedAt = Date.now();
    const client = this.#clients[this.#random.int(this.#clients.length)] as Client;
    const options = method === 'DELETE' ? { tenant } : { tenant, body: body ?? {} };
    const reply = await client.sure(method, `/schedules/${SCHEDULE}${path}`, options);
    if (reply.status >= 300) {
      const answer = JSON.stringify(reply.body);
      this.#history.broken.push(`${method} /schedules${path}: ${reply.status} ${answer}`);
      return;
    }
    this.#isPaused = what === 'paused';
    const change = { what, tenant, invokedAt, answeredAt: Date.now(), unknown: false };
    this.#history.scheduleChanges.push(change);
  }
}
