import { nowMs, pass } from './clock.ts';
import { type Count, PartProcess } from './part-process.ts';
import type { Command, MessageOf } from './part-protocol.ts';
import { readMemoryMb } from './proc/memory.ts';
import { type Reading, type Roots, readUsage } from './proc/usage.ts';
import type { ComparisonPostgres } from './servers/comparison-postgres.ts';
import type { Servers } from './servers/servers.ts';
import type { Load, Provided, System, Tuning } from './systems/system.ts';

/** How long a worker may stand still before what is missing counts as lost. */
const STALLED_MS = 20_000;
const LOOK_MS = 2;
const LOOK_MS_MAX = 500;

export interface Instant {
  readonly usage: Reading;
  readonly walBytes: number | null;
  readonly handled: Count;
}

type ProducerCommand = Extract<
  Command,
  { kind: 'load' | 'single' | 'batch' | 'steady' | 'latency' }
>;

/** One system in operation: its storage, its servers and its parts, from start to the last check. */
export class Session {
  readonly system: System;
  readonly tuning: Tuning;
  readonly provided: Provided;
  readonly producer: PartProcess;
  readonly worker: PartProcess;
  readonly #postgres: ComparisonPostgres | null;
  readonly #abandon: () => Promise<void>;
  #isWorking = false;
  submitted = 0;

  private constructor(params: {
    system: System;
    tuning: Tuning;
    provided: Provided;
    postgres: ComparisonPostgres | null;
    servers: Servers;
  }) {
    this.system = params.system;
    this.tuning = params.tuning;
    this.provided = params.provided;
    this.#postgres = params.postgres;
    const { commands } = params.provided;
    this.producer = new PartProcess(commands.kind === 'apart' ? commands.producer : commands.both);
    this.worker = commands.kind === 'apart' ? new PartProcess(commands.worker) : this.producer;
    this.worker.onCount = (n) => this.producer.tell({ kind: 'done', n });
    this.#abandon = params.servers.cleanup.add(async () => {
      await Promise.all(this.#parts().map((part) => part.kill()));
    });
  }

  static async open(system: System, tuning: Tuning, servers: Servers): Promise<Session> {
    const provided = await system.provide(tuning, servers);
    const postgres = system.store === 'postgres' ? await servers.postgres() : null;
    const session = new Session({ system, tuning, provided, postgres, servers });
    await Promise.all(session.#parts().map((part) => part.next('ready')));
    return session;
  }

  get load(): Load {
    return this.tuning.load;
  }

  /** By name: the parts and what serves them. */
  get roots(): Roots {
    const parts =
      this.producer === this.worker
        ? { process: this.producer.pid }
        : { producer: this.producer.pid, worker: this.worker.pid };
    return { ...parts, ...this.provided.processes };
  }

  /** Has the worker take tasks, from now to the end of the session. */
  async ensureWorking(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.worker.tell({ kind: 'work' });
    await this.worker.next('working');
  }

  /** Has the producer carry out a command and waits for its result. */
  async produce(command: ProducerCommand): Promise<MessageOf<'result'>> {
    this.producer.tell(command);
    return this.produced();
  }

  /** The result of a command that was told before. */
  async produced(): Promise<MessageOf<'result'>> {
    const result = await this.producer.next('result');
    this.submitted += result.n;
    return result;
  }

  /** Has the worker make schedules for the shape that is about them; none of them may be due before it works. */
  async schedule(n: number, cron: string): Promise<void> {
    this.worker.tell({ kind: 'schedule', n, cron });
    const result = await this.worker.next('result');
    this.submitted += result.n;
  }

  async now(): Promise<Instant> {
    const walBytes = (await this.#postgres?.walBytes()) ?? null;
    return { walBytes, usage: readUsage(this.roots), handled: this.worker.counted };
  }

  memoryMb(): Record<string, number> {
    return readMemoryMb(this.roots);
  }

  async checkpoint(): Promise<void> {
    await this.#postgres?.checkpoint();
  }

  transactions(): Promise<number> {
    const { databaseUrl } = this.provided;
    if (this.#postgres === null || databaseUrl === undefined) return Promise.resolve(Number.NaN);
    return this.#postgres.transactions(databaseUrl);
  }

  /** Waits until the worker has handled `n` tasks of this session; fails when it stands still. */
  async handled(n: number): Promise<void> {
    let last = this.worker.counted.n;
    let standingMs = 0;
    for (let lookedAtMs = nowMs(); this.worker.counted.n < n; ) {
      this.worker.assertAlive();
      await pass(LOOK_MS);
      // A machine that was suspended as a whole says nothing about the worker.
      standingMs += Math.min(nowMs() - lookedAtMs, LOOK_MS_MAX);
      lookedAtMs = nowMs();
      if (this.worker.counted.n !== last) {
        last = this.worker.counted.n;
        standingMs = 0;
      } else if (standingMs > STALLED_MS) {
        throw new Error(`${this.system.name} stands still at ${last} of ${n} tasks`);
      }
    }
  }

  /** Tasks that have not ended, as the running system says. */
  async left(): Promise<number> {
    if (this.provided.left !== undefined) return this.provided.left();
    this.worker.tell({ kind: 'left' });
    return (await this.worker.next('left')).n;
  }

  /** Stops everything and compares what was submitted with what was handled and what is left. */
  async close(): Promise<Balance> {
    const byes = await Promise.all(this.#parts().map((part) => part.stop()));
    await this.#abandon();
    const sum = (pick: (bye: MessageOf<'bye'>) => number): number =>
      byes.reduce((total, bye) => total + pick(bye), 0);
    const balance = {
      submitted: sum((bye) => bye.submitted),
      handled: sum((bye) => bye.handled),
      duplicates: sum((bye) => bye.duplicates),
      left: await this.provided.leftDurably(),
    };
    await this.provided.close();
    return balance;
  }

  #parts(): readonly PartProcess[] {
    return this.producer === this.worker ? [this.producer] : [this.producer, this.worker];
  }
}

export interface Balance {
  readonly submitted: number;
  readonly handled: number;
  readonly duplicates: number;
  readonly left: number;
}
