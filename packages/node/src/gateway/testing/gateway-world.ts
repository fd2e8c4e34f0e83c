import {
  type Answer,
  Engine,
  type EngineSettings,
  type JobDefinition,
  partitionOf,
  type RunHead,
  type RunId,
} from '@signalbox/engine';
import { createMemoryStore, type MemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import type { TaskLogs } from '../../logs/task-logs.ts';
import { CommitLoop, type LoopSettings, type RunView, readRun } from '../../loop/index.ts';
import { realPorts } from '../../real-ports.ts';
import { Gateway, type GatewayParams } from '../gateway.ts';

export type LogLineIn = Parameters<TaskLogs['append']>[0];

export interface WorldParams {
  readonly engine?: Partial<EngineSettings>;
  readonly loop?: Partial<LoopSettings>;
  readonly gateway?: Partial<GatewayParams>;
}

const TENANT = 'acme';

/** A real loop on a memory store with a gateway before it: what a test of links owns. */
export class GatewayWorld {
  readonly store: MemoryStore = createMemoryStore({ now: () => Date.now() });
  readonly lines: LogLineIn[] = [];
  readonly fatal: unknown[] = [];
  readonly loop: CommitLoop;
  readonly gateway: Gateway;
  #ended: { seq: number; resolve: () => void }[] = [];
  readonly #over = new Set<number>();

  private constructor(params: WorldParams) {
    this.loop = new CommitLoop({
      engine: new Engine(params.engine),
      store: this.store,
      ports: realPorts({
        release: (effects) => this.gateway.receive(effects),
        published: (_partition, facts) => {
          for (const fact of facts) if (fact.kind === 'runEnded') this.#note(fact.seq);
        },
      }),
      settings: { partitions: 1, ...params.loop },
      node: { name: 'node-a', address: '' },
      onFatal: (error) => this.fatal.push(error),
    });
    this.gateway = new Gateway({
      loop: this.loop,
      logs: { append: (line) => this.lines.push(line), flush: async () => {} },
      name: 'node-a',
      heartbeatMs: 5_000,
      log: pino({ level: 'silent' }),
      ...params.gateway,
    });
  }

  static async start(params: WorldParams = {}): Promise<GatewayWorld> {
    const world = new GatewayWorld(params);
    await world.loop.start();
    while (!world.loop.owns(0)) await new Promise((resolve) => setTimeout(resolve, 5));
    return world;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.loop.stop();
    await this.store.close();
  }

  async define(job: string, definition: JobDefinition = {}): Promise<void> {
    const body = JSON.stringify(definition);
    const change = { tenant: TENANT, kind: 'job', name: job, expectedVersion: 0, body };
    await this.store.putDefinition({ ...change, author: 'test' });
  }

  async submit(job: string, more: { head?: RunHead; input?: Uint8Array } = {}): Promise<RunId> {
    const spec = await this.loop.specs.newest(TENANT, job);
    if (spec === null) throw new Error(`no job ${job}`);
    const partition = partitionOf(TENANT, job, this.loop.settings.partitions);
    const { head = {}, input = null } = more;
    const answer: Answer = await this.loop.execute({
      kind: 'submit',
      partition,
      spec,
      head,
      input,
    });
    if (answer.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(answer)}`);
    return { ms: answer.ms, partition, seq: answer.seq };
  }

  async view(id: RunId): Promise<RunView> {
    const view = await readRun({ loop: this.loop, store: this.store, tenant: TENANT, id });
    if (view === null || view === 'not_owner') throw new Error('no such run');
    return view;
  }

  /** Resolves when the end of the run is durable. */
  ended({ seq }: RunId): Promise<void> {
    if (this.#over.has(seq)) return Promise.resolve();
    return new Promise((resolve) => this.#ended.push({ seq, resolve }));
  }

  #note(seq: number): void {
    this.#over.add(seq);
    for (const waiter of this.#ended) if (waiter.seq === seq) waiter.resolve();
    this.#ended = this.#ended.filter((waiter) => waiter.seq !== seq);
  }
}
