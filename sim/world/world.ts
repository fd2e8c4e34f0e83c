import { Coverage } from '../coverage.ts';
import { History } from '../history.ts';
import { Ages } from './ages.ts';
import { Authors } from './authors.ts';
import { Blobs } from './blobs.ts';
import { type Catalogue, drawCatalogue } from './catalogue.ts';
import { Clients } from './clients.ts';
import { Actor, Clockwork } from './clockwork.ts';
import { Disk } from './disk.ts';
import { InputWatch } from './input-watch.ts';
import { Nemesis } from './nemesis.ts';
import { Network } from './network.ts';
import { SimNode } from './node.ts';
import type { Options } from './options.ts';
import type { Sabotage } from './sabotage.ts';
import { seedCrypto } from './seeded-crypto.ts';
import { healedWay } from './store-door.ts';
import { StreamWatchers } from './stream-watchers.ts';
import { Streams } from './streams.ts';
import { Sweepers } from './sweepers.ts';
import type { Watch } from './watch.ts';
import { SimWorker } from './worker.ts';

/** Far enough that no world lives to see it. */
const FAR_MS = 12 * 3_600_000;

/** Where history is dropped hours behind the present, clocks are not further apart. */
const DRIFT_MS_MAX = 1_800_000;

function sum(a: number, b: number): number {
  return a + b;
}

/** Everything there is, under one clock and one seed: disk, network, nodes, workers, clients, faults. */
export class World {
  readonly options: Options;
  readonly sabotage: Sabotage;
  readonly streams: Streams;
  readonly clockwork: Clockwork;
  readonly history: History;
  readonly coverage = new Coverage();
  readonly disk: Disk;
  readonly network: Network;
  readonly catalogue: Catalogue;
  readonly blobs: Blobs;
  /** Where requests reach the store. */
  readonly desk = new Actor('store', true);
  /** Whoever restarts processes and gives orders about workers. */
  readonly operator = new Actor('operator', true);
  readonly nodes: SimNode[];
  readonly workers: SimWorker[];
  readonly clients: Clients;
  readonly authors: Authors;
  readonly nemesis: Nemesis;
  readonly watchers: StreamWatchers;
  readonly confirmed = new Set<string>();
  readonly inputs: InputWatch;
  /** Of every process that there was, by its name. */
  readonly watches = new Map<string, Watch>();
  /** Where fatal errors came from; beside the history, because it names files of this machine. */
  readonly stacks: string[] = [];

  constructor(options: Options, sabotage: Sabotage = {}) {
    this.options = options;
    this.sabotage = sabotage;
    this.streams = new Streams(options.seed);
    seedCrypto(this.streams.of('crypto'));
    this.clockwork = new Clockwork(this.streams.of('ties'));
    this.history = new History(() => this.clockwork.now);
    this.disk = new Disk(this, options.wild.ages?.sizes);
    this.blobs = new Blobs(this.disk, this.history, this.coverage);
    this.disk.commitBytesMax = options.wild.commitBytesMax;
    this.disk.refusesLarge = options.wild.tightStore;
    this.network = new Network(this.clockwork, this.streams.of('net'));
    this.catalogue = drawCatalogue(this.streams.of('catalogue'), options);
    this.nodes = Array.from({ length: options.nodes }, (_, i) => new SimNode(this, i));
    this.workers = options.workers.map((slots, i) => new SimWorker(this, i, slots));
    this.clients = new Clients(this);
    this.authors = new Authors(this);
    this.nemesis = new Nemesis(this);
    this.inputs = new InputWatch(this);
    this.watchers = new StreamWatchers(this);
  }

  get farDueMs(): number {
    return this.disk.farDueMs;
  }

  async begin(): Promise<void> {
    await this.disk.prepare();
    const { ages } = this.options.wild;
    this.disk.farDueMs = this.disk.nowMs + FAR_MS + (ages?.leapsMs ?? []).reduce(sum, 0);
    if (ages !== null) this.disk.driftMsMax = DRIFT_MS_MAX;
    await this.clients.define();
    await this.authors.begin();
    this.sabotage.world?.(this);
    for (const node of this.nodes) node.start();
    for (const worker of this.workers) worker.start();
    if (this.options.submitEveryMs < Number.POSITIVE_INFINITY) this.clients.begin();
    this.nemesis.begin();
    this.inputs.begin();
    new Sweepers(this).begin();
    this.nemesis.beginExcursions();
    this.nemesis.beginRefusals();
    new Ages(this).begin();
    this.watchers.begin();
  }

  /** Ends every fault: what is left over must now come to rest by itself. */
  heal(): void {
    this.clients.end();
    this.authors.end();
    this.nemesis.end();
    this.watchers.stay();
    this.network.heal();
    this.disk.excurse(0);
    this.disk.refusal = null;
    // Somebody gives the store its room: what waits in the inbox may be more than it took before.
    if (this.options.wild.tightStore) this.disk.commitBytesMax = 0;
    for (const node of this.nodes) {
      node.calendarOffMs = 0;
      Object.assign(node.way, healedWay());
      if (node.actor.paused) this.clockwork.resume(node.actor);
      node.start();
    }
    Object.assign(this.clients.way, healedWay());
    for (const worker of this.workers) {
      if (worker.actor.paused) this.clockwork.resume(worker.actor);
      worker.hangs = false;
      worker.drains = false;
      worker.start();
    }
    // A drain or a cordon is an order: only another order ends it.
    for (const waitMs of [2_000, 10_000, 30_000]) {
      this.clockwork.after(waitMs, this.operator, () => this.#uncordonAll());
    }
    this.history.add({ kind: 'fault', what: 'all', on: false });
  }

  #uncordonAll(): void {
    for (const { process } of this.nodes) {
      for (const { name } of this.workers) {
        process?.loop.report({ kind: 'uncordonWorker', worker: name });
      }
    }
  }

  get isQuiet(): boolean {
    if (!this.disk.isQuiet || !this.clients.isQuiet || !this.authors.isQuiet) return false;
    return this.workers.every((worker) => worker.holds.size === 0);
  }

  /** An operation threw what no caller can act on: a defect, as a crash is. */
  broken(node: SimNode, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.history.add({ kind: 'fatal', node: node.actor.name, error: message });
    this.stacks.push(error instanceof Error ? (error.stack ?? message) : message);
  }

  nodeDown(node: SimNode): void {
    const silently = this.streams.of('crash').next() < 0.2;
    if (!silently) for (const worker of this.workers) worker.nodeDown(node);
  }

  /** A task took its worker down; a supervisor starts another. */
  workerDied(worker: SimWorker): void {
    const dice = this.streams.of('crash');
    const silently = dice.next() < 0.3;
    const backMs = 200 + dice.next() * 20_000;
    worker.crash(silently);
    this.clockwork.after(backMs, this.operator, () => worker.start());
  }
}
