import {
  type Answer,
  type Effect,
  Engine,
  type EngineSettings,
  type JobDefinition,
  type JobSpec,
  NO_RESOURCES,
  partitionOf,
  refOf,
  seededRandom,
  type WindowHead,
} from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { createMemoryStore, type MemoryStore } from '@signalbox/store/memory';
import { CommitLoop, type LoopEvent, type LoopPorts, type LoopSettings } from '../index.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Loops, a store and time that moves only when told: what a test of the loop owns. */
export class VirtualWorld {
  nowMs = 1_800_000_000_000;
  /** How far the store's clock is from where it began. */
  storeSkewMs = 0;
  readonly disk: MemoryStore = createMemoryStore({ now: () => this.nowMs + this.storeSkewMs });
  readonly #timers: Timer[] = [];
  #order = 0;

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.nowMs + ms, order: this.#order++, callback };
    this.#timers.push(timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  /** Lets time pass; everything due happens in order, and promises settle in between. */
  async run(ms: number): Promise<void> {
    const until = this.nowMs + ms;
    await settle();
    for (;;) {
      const next = this.#timers
        .filter((timer) => timer.at <= until)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.at);
      next.callback();
      await settle();
    }
    this.nowMs = until;
    await settle();
  }

  async define(tenant: string, job: string, definition: JobDefinition = {}): Promise<void> {
    const body = JSON.stringify(definition);
    const change = { tenant, kind: 'job', name: job, expectedVersion: 0, body, author: 'test' };
    await this.disk.putDefinition(change);
  }

  async startNode(params: NodeParams = {}): Promise<VirtualNode> {
    const node = new VirtualNode(this, params);
    void node.loop.start();
    await this.run(100);
    return node;
  }
}

/** Promise chains of any length settle before the next event: a turn of the real loop drains them. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

export interface NodeParams {
  readonly name?: string;
  readonly store?: (disk: MemoryStore) => Store;
  readonly settings?: Partial<EngineSettings>;
  readonly loop?: Partial<LoopSettings>;
  /** How far its clock is from that of others. */
  readonly skewMs?: number;
}

export class VirtualNode {
  readonly world: VirtualWorld;
  readonly engine: Engine;
  readonly loop: CommitLoop;
  readonly store: Store;
  readonly released: Effect[] = [];
  readonly events: LoopEvent[] = [];
  readonly fatal: unknown[] = [];
  /** Called for every effect as it is released. */
  onEffect: (effect: Effect) => void = () => {};

  constructor(world: VirtualWorld, params: NodeParams) {
    this.world = world;
    this.engine = new Engine(params.settings);
    this.store = params.store?.(world.disk) ?? world.disk;
    const ports: LoopPorts = {
      monotonicMs: () => world.nowMs - 1_799_000_000_000 + (params.skewMs ?? 0),
      after: (ms, callback) => world.after(ms, callback),
      defer: (callback) => void world.after(0, callback),
      random: seededRandom(7),
      release: (effects) => {
        for (const effect of effects) {
          this.released.push(effect);
          this.onEffect(effect);
        }
      },
      observe: (event) => this.events.push(event),
    };
    this.loop = new CommitLoop({
      engine: this.engine,
      store: this.store,
      ports,
      settings: { partitions: 1, ...params.loop },
      node: { name: params.name ?? 'node-a', address: '' },
      onFatal: (error) => this.fatal.push(error),
    });
  }

  attach(name: string, slots = 10): void {
    const total = { ...NO_RESOURCES, slots };
    const info = { name, instance: 'a', zone: 'a', labels: {}, executors: [], total };
    this.loop.report({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] });
  }

  /** The worker beats every second from now on. */
  beating(worker: string): void {
    this.loop.report({ kind: 'beat', worker, foreignUse: NO_RESOURCES, progress: [] });
    this.world.after(1_000, () => this.beating(worker));
  }

  /** Workers that finish whatever they are given, at once. */
  finishEverything(): void {
    this.onEffect = (effect) => {
      if (effect.kind !== 'assign') return;
      const result = { kind: 'succeeded', output: null } as const;
      const { worker, attempt } = effect;
      this.loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
    };
  }

  async spec(tenant: string, job: string): Promise<JobSpec> {
    const spec = await this.loop.specs.newest(tenant, job);
    if (spec === null) throw new Error(`no job ${tenant}/${job}`);
    return spec;
  }

  async submit(spec: JobSpec, options: SubmitOptions = {}): Promise<Answer> {
    const { input = new Uint8Array([1, 2, 3]), ...head } = options;
    const partition = partitionOf(spec.tenant, spec.job, this.loop.settings.partitions);
    return this.loop.execute({ kind: 'submit', partition, spec, head, input });
  }

  /** Submits and lets the commit happen. */
  async submitted(spec: JobSpec, options: SubmitOptions = {}): Promise<Answer> {
    const answer = this.submit(spec, options);
    await this.world.run(10);
    return answer;
  }

  assigned(): (Effect & { kind: 'assign' })[] {
    return this.released.filter((effect) => effect.kind === 'assign');
  }

  saw(kind: LoopEvent['kind']): boolean {
    return this.events.some((event) => event.kind === kind);
  }
}

export interface SubmitOptions {
  readonly key?: string;
  readonly unique?: string;
  readonly dueAt?: number;
  readonly window?: WindowHead;
  readonly input?: Uint8Array;
}
