import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorBody, RunView } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import {
  type AttemptContext,
  type Handler,
  httpBlobs,
  type Result,
  Worker,
  webSocketTransport,
} from '@signalbox/worker';
import { pino } from 'pino';
import { ApiError } from '../../errors/api-error.ts';
import { openStore } from '../../open-store.ts';
import { defineJob, submitRuns } from '../../operations/index.ts';
import { caller } from '../../operations/testing/small-node.ts';
import { type RunningNode, startNodeOn } from '../../start-node.ts';
import { API_BASE } from '../base.ts';
import { ROOT_KEY } from './api-world.ts';

export const STORES = ['memory', 'sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORES)[number];

/** Accepted, or refused with the code and the words of the API. */
export type Outcome<T> =
  | { readonly kind: 'accepted'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** What the one worker does with the attempts that it is given. */
export interface Behaviour {
  readonly handler: (...args: Parameters<Handler>) => unknown;
  readonly raw: (attempt: AttemptContext) => Promise<Result>;
}

export const TENANT = 'acme';

/** A whole node over HTTP with a real worker, on a store that outlives it. */
export class SurfaceWorld {
  behaviour: Behaviour = { handler: () => 1, raw: async () => ({ kind: 'stopped', output: null }) };
  readonly fatal: unknown[] = [];
  readonly disconnects: string[] = [];
  readonly #open: () => Promise<Store>;
  /** Blobs, and the file of the store where it is one: they outlive the node as well. */
  readonly #folder: string;
  #node: RunningNode | null = null;
  #worker: Worker | null = null;

  private constructor(open: () => Promise<Store>, folder: string) {
    this.#open = open;
    this.#folder = folder;
  }

  /** `createDatabase` where the kind is PostgreSQL. */
  static async start(
    kind: StoreKind,
    createDatabase: () => Promise<string>,
  ): Promise<SurfaceWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-surface-'));
    const world = new SurfaceWorld(await opener(kind, folder, createDatabase), folder);
    await world.#up();
    return world;
  }

  /** As a deployment does it: everything that is shown afterwards was read from the store. */
  async restart(): Promise<void> {
    await this.#down();
    await this.#up();
  }

  async stop(): Promise<void> {
    await this.#down();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get url(): string {
    return this.#running.url as string;
  }

  /** The bytes that are kept of a run. */
  async payload(id: string, what: 'input' | 'output'): Promise<Uint8Array> {
    const response = await fetch(`${this.url}${API_BASE}/runs/${id}/${what}`, {
      headers: { authorization: `Bearer ${ROOT_KEY}`, 'signalbox-tenant': TENANT },
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status === 200) return bytes;
    throw new Error(`the ${what} of ${id} cannot be read: ${Buffer.from(bytes)}`);
  }

  async ask(path: string, body?: unknown, method?: string): Promise<Outcome<unknown>> {
    const response = await fetch(`${this.#running.url}${API_BASE}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${ROOT_KEY}`,
        'signalbox-tenant': TENANT,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as ErrorBody;
    if (response.status < 400) return { kind: 'accepted', value: answer };
    const { code, message } = answer.error;
    return { kind: 'refused', code, message };
  }

  /** As the embedded SDK does it: without JSON in between. */
  defineHere(name: string, definition: object): Promise<Outcome<unknown>> {
    const of = caller({ tenant: TENANT });
    return outcomeOf(defineJob(this.#running.context, of, { name, definition }));
  }

  submitHere(item: object): Promise<Outcome<unknown>> {
    const of = caller({ tenant: TENANT });
    const items = [item] as Parameters<typeof submitRuns>[2]['items'];
    return outcomeOf(
      submitRuns(this.#running.context, of, { items, single: true }).then(([run]) => run),
    );
  }

  async view(id: string, waitMs = 0): Promise<RunView> {
    const shown = await this.ask(`/runs/${id}?wait=${waitMs}`);
    if (shown.kind === 'accepted') return shown.value as RunView;
    throw new Error(`run ${id} cannot be shown: ${shown.code} ${shown.message}`);
  }

  get #running(): RunningNode {
    if (this.#node === null) throw new Error('there is no node');
    return this.#node;
  }

  async #up(): Promise<void> {
    const store = await this.#open();
    await store.migrate();
    this.#node = await startNodeOn(store, {
      store: 'memory:',
      dataDir: this.#folder,
      http: { host: '127.0.0.1', port: 0 },
      rootKey: ROOT_KEY,
      partitions: 2,
      // A long look retries more often than the budget of one job allows.
      engine: { retriesPerMinutePerJob: 1_000_000 },
      log: pino({ level: 'silent' }),
      onFatal: (error) => this.fatal.push(error),
    });
    await this.#node.ready();
    this.#worker = new Worker({
      name: 'surface',
      transport: webSocketTransport({ url: this.#node.url as string, key: ROOT_KEY }),
      blobs: httpBlobs({ url: this.#node.url as string, key: ROOT_KEY }),
      total: {
        slots: 100_000,
        cpuMilli: 500_000_000,
        memoryMb: 500_000_000,
        gpu: 100_000,
        diskMb: 500_000_000,
      },
      handlers: { any: (input, context) => this.behaviour.handler(input, context) },
      executors: [{ name: 'handler:raw', run: (attempt) => this.behaviour.raw(attempt) }],
      onEvent: (event) => {
        if (event.kind !== 'link' || event.event.kind !== 'disconnected') return;
        this.disconnects.push(`${event.event.code} ${event.event.reason}`);
      },
    });
    await this.#worker.start();
  }

  async #down(): Promise<void> {
    await this.#worker?.stop({ graceMs: 0 });
    await this.#node?.stop();
    this.#worker = null;
    this.#node = null;
  }
}

async function opener(
  kind: StoreKind,
  folder: string,
  createDatabase: () => Promise<string>,
): Promise<() => Promise<Store>> {
  switch (kind) {
    case 'memory': {
      const store = createMemoryStore({ now: Date.now });
      return async () => store;
    }
    case 'sqlite':
      return () => openStore(`file:${join(folder, 'a.db')}`);
    case 'postgres': {
      const url = await createDatabase();
      return () => openStore(url);
    }
  }
}

export async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'accepted', value: await work };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'refused', code: error.code, message: error.message };
  }
}
