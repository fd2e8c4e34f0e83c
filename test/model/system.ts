import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from './client.ts';
import type { Execution } from './history.ts';
import { JOBS } from './jobs.ts';
import type { ModelOptions } from './options.ts';
import { Database, freePort, Process, temporaryFolder } from './processes.ts';

export const PARTITIONS = 16;

const HANDLERS = fileURLToPath(new URL('./handlers.ts', import.meta.url));

/** The product as processes: nodes over one store, workers, and clients that reach any of the nodes. */
export class System {
  readonly nodes: Process[] = [];
  readonly workers: Process[] = [];
  readonly clients: Client[] = [];
  readonly #folder = temporaryFolder();
  readonly #rootKey = randomBytes(32).toString('hex');
  readonly #options: ModelOptions;
  #database: Database | null = null;
  #ports: readonly number[] = [];
  #storeUrl: string | null = null;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  get database(): Database | null {
    return this.#database;
  }

  /** For what a client of single requests cannot do: where each node listens. */
  get ports(): readonly number[] {
    return this.#ports;
  }

  get rootKey(): string {
    return this.#rootKey;
  }

  /** The store that the nodes share, as `openStore` takes it. */
  get storeAddress(): string {
    return this.#storeUrl ?? `file:${join(this.#folder.path, 'data', 'signalbox.sqlite')}`;
  }

  async start(): Promise<void> {
    const { nodes, workers, store } = this.#options;
    const flags = await this.#storeFlags(store);
    const ports = await Promise.all(Array.from({ length: nodes }, freePort));
    this.#ports = ports;
    for (const [i, port] of ports.entries()) {
      const name = `node-${i + 1}`;
      const data = join(this.#folder.path, nodes === 1 ? 'data' : name);
      if (nodes > 1) this.#shareBlobs(data);
      const own = ['--data', data, '--port', `${port}`, '--name', name];
      const args = ['node', ...own, '--partitions', `${PARTITIONS}`, ...flags];
      this.nodes.push(this.#process(name, args));
      this.clients.push(new Client({ node: name, port, rootKey: this.#rootKey }));
    }
    const addresses = ports.map((port) => `http://127.0.0.1:${port}`).join(',');
    for (let i = 0; i < workers; i++) {
      const name = `worker-${i + 1}`;
      const limits = ['--concurrency', '8', '--grace-period', '2s'];
      const args = ['worker', '--url', addresses, '--jobs', HANDLERS, '--name', name, ...limits];
      this.workers.push(this.#process(name, args));
    }
    for (const process of [...this.nodes, ...this.workers]) process.start();
    await this.ready();
    for (const tenant of this.#options.tenants) await this.#define(tenant);
  }

  /** Every node can take work. */
  async ready(): Promise<void> {
    for (const client of this.clients) {
      const { status, body } = await client.sure('GET', '/ready', { tenant: 'default' });
      if (status !== 200) throw new Error(`a node is not ready: ${JSON.stringify(body)}`);
    }
  }

  executions(): Execution[] {
    const file = join(this.#folder.path, 'evidence.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Execution);
  }

  /** The last lines of every process, for the report of a failure. */
  logs(): string {
    const tails = [...this.nodes, ...this.workers].map(({ name, log }) => {
      return `== ${name}\n${log.split('\n').slice(-15).join('\n')}`;
    });
    return tails.join('\n');
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const process of [...this.workers, ...this.nodes]) await process.end('SIGKILL');
    this.#database?.signalBackends('SIGCONT');
    await this.#database?.stop();
    this.#folder.remove();
  }

  async #storeFlags(store: ModelOptions['store']): Promise<string[]> {
    if (store === 'sqlite') return [];
    this.#database = new Database(join(this.#folder.path, 'postgres'));
    this.#storeUrl = await this.#database.start();
    return ['--store', this.#storeUrl];
  }

  /** Large payloads of several nodes are in one place, as a bucket would be. */
  #shareBlobs(data: string): void {
    const shared = join(this.#folder.path, 'blobs');
    mkdirSync(shared, { recursive: true });
    mkdirSync(data, { recursive: true });
    symlinkSync(shared, join(data, 'blobs'));
  }

  #process(name: string, args: readonly string[]): Process {
    const evidence = join(this.#folder.path, 'evidence.jsonl');
    const environment = { SIGNALBOX_KEY: this.#rootKey, EVIDENCE: evidence, WORKER: name };
    return new Process({ name, args, environment, folder: this.#folder.path });
  }

  async #define(tenant: string): Promise<void> {
    for (const [job, body] of Object.entries(JOBS)) {
      const client = this.clients[0] as Client;
      const { status, body: answer } = await client.sure('PUT', `/jobs/${job}`, { tenant, body });
      if (status > 201) throw new Error(`${job} was not defined: ${JSON.stringify(answer)}`);
    }
  }
}
