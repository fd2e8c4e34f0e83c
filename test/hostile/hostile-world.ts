import { connect } from 'node:net';
import type { Role, RunView } from '@signalbox/protocol';
import {
  type HttpExecutorOptions,
  httpExecutor,
  Worker,
  webSocketTransport,
} from '@signalbox/worker';
import { type Answer, ApiWorld, ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import { RawSocket } from '../../packages/node/src/gateway/testing/raw-socket.ts';
import { TestServer } from '../../packages/worker/src/executors/testing/test-server.ts';

export const JSON_TYPE = { 'content-type': 'application/json' };
export const PUBLIC = '93.184.216.34';

/** A row of the table of hostile inputs, checked against a node on one database. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly check: (world: HostileWorld) => Promise<void>;
}

/** One node on one database with two workers, which all rows share. */
export class HostileWorld {
  readonly api: ApiWorld;
  readonly storeUrl: string;
  /** Opened at the start and silent, so that the test of the limit does not have to wait for it. */
  readonly silent: RawSocket;
  /** Stands for every public host; nothing that it redirects to may be dialled. */
  readonly outside: TestServer;
  /** Stands for everything private: it must not receive a byte. */
  readonly inside: TestServer;
  readonly dialled: string[] = [];
  /** What a name resolves to on the worker `strict`; one public address for all others. */
  readonly addresses = new Map<string, readonly string[]>();
  readonly #workers: readonly Worker[];
  #count = 0;

  private constructor(of: {
    api: ApiWorld;
    store: string;
    silent: RawSocket;
    outside: TestServer;
    inside: TestServer;
  }) {
    this.api = of.api;
    this.storeUrl = of.store;
    this.silent = of.silent;
    this.outside = of.outside;
    this.inside = of.inside;
    this.#workers = [
      this.#worker('strict', { resolve: async (host) => this.addresses.get(host) ?? [PUBLIC] }),
      // The connection of a request must be to a vetted address, so this one may call loopback.
      this.#worker('trusting', { allowPrivate: true, resolve: async () => ['127.0.0.1'] }),
      // It reaches the first host, and 127.0.0.3 stands for what is inside.
      this.#worker('guarded', {
        allowPrivate: true,
        extraBlocked: ['127.0.0.3'],
        resolve: async (host) => this.addresses.get(host) ?? ['127.0.0.1'],
      }),
    ];
  }

  /** A worker for tasks with the label `net: NAME`. */
  #worker(name: string, options: HttpExecutorOptions): Worker {
    return new Worker({
      name,
      labels: { net: name },
      transport: webSocketTransport({ url: this.api.url, key: ROOT_KEY }),
      total: { slots: 100, cpuMilli: 1_000, memoryMb: 1_000, gpu: 0, diskMb: 1_000 },
      handlers: { echo: (input) => input },
      executors: [
        httpExecutor({
          allowHttp: true,
          ports: 'any',
          dial: ({ addresses, port }) => {
            this.dialled.push(...addresses);
            const isInside = port === this.inside.port;
            return connect({ host: '127.0.0.1', port: isInside ? port : this.outside.port });
          },
          ...options,
        }),
      ],
    });
  }

  static async start(store: string): Promise<HostileWorld> {
    // Plain http is allowed, so that an address is refused as such and not because of its scheme.
    const httpTargets = { allowHttp: true, ports: 'any' } as const;
    const api = await ApiWorld.start({ store, httpTargets });
    const silent = await RawSocket.open(Number(new URL(api.url).port));
    const outside = await new TestServer().start();
    const inside = await new TestServer().start();
    const world = new HostileWorld({ api, store, silent, outside, inside });
    for (const worker of world.#workers) await worker.start();
    return world;
  }

  async stop(): Promise<void> {
    this.silent.destroy();
    for (const worker of this.#workers) await worker.stop({ graceMs: 0 });
    await this.outside.stop();
    await this.inside.stop();
    await this.api.stop();
  }

  get port(): number {
    return Number(new URL(this.api.url).port);
  }

  name(): string {
    return `n${++this.#count}`;
  }

  async job(definition: object = {}, tenant = 'default'): Promise<string> {
    const name = this.name();
    const made = await this.api.ask('/jobs', { body: { name, definition }, tenant });
    if (made.status !== 201) throw new Error(made.text);
    return name;
  }

  async run(definition: object = {}, tenant = 'default'): Promise<string> {
    const job = await this.job(definition, tenant);
    const made = await this.api.ask('/runs', { body: { job, input: 1 }, tenant });
    if (made.status !== 201) throw new Error(made.text);
    return made.json<{ id: string }>().id;
  }

  /** A run of the definition, when it has ended. */
  async ended(definition: object): Promise<RunView> {
    const id = await this.run(definition);
    return (await this.api.ask(`/runs/${id}?wait=20s`)).json<RunView>();
  }

  key(role: Role, tenant: string): Promise<string> {
    return this.api.makeKey(role, tenant);
  }

  post(path: string, raw: string | Uint8Array<ArrayBuffer>, headers = {}): Promise<Answer> {
    return this.api.ask(path, { raw, headers: { ...JSON_TYPE, ...headers } });
  }
}

/** The fastest of a few, in milliseconds: a busy machine makes single ones slow. */
export async function fastest(run: () => Promise<unknown>, tries = 5): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries; count++) {
    const startedAt = performance.now();
    await run();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

/** The least processor time of a few, in milliseconds: other processes make the elapsed time long. */
export async function leastCpuMs(run: () => Promise<unknown>, tries = 3): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries; count++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** Status and body without the id of the request and without the named ids: equal for equal treatment. */
export function shownOf({ status, text }: Answer, ...ids: string[]): [number, string] {
  const plain = ids.reduce((shown, id) => shown.replaceAll(id, '<id>'), text);
  return [status, plain.replace(/"requestId":"[^"]*"/, '')];
}
