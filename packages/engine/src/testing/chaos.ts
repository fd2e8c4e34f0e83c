import type { Command } from '../commands.ts';
import { type Effect, isToWorker } from '../effects.ts';
import type { Fact } from '../facts/facts.ts';
import type { Class } from '../model/classes.ts';
import { seededRandom } from '../model/random.ts';
import { NO_RESOURCES, type Resources } from '../model/resources.ts';
import { type AttemptRef, refOf } from '../model/run.ts';
import type { JobSpec } from '../model/spec.ts';
import type { WorkerInfo } from '../model/worker.ts';
import type { EngineSettings } from '../settings.ts';
import { buildSpec, buildWorker, resources, type WorkerParams } from './builders.ts';
import { Harness } from './harness.ts';

/** A worker's own side of the story: what it has been given and not yet reported. */
interface Machine {
  info: WorkerInfo;
  connected: boolean;
  readonly holds: Map<string, { readonly ref: AttemptRef; accepted: boolean }>;
}

const FLEET: readonly WorkerParams[] = [
  { name: 'w1', zone: 'a', total: { slots: 4, cpuMilli: 4000, memoryMb: 8192 } },
  { name: 'w2', zone: 'a', total: { slots: 4, cpuMilli: 4000, memoryMb: 8192, gpu: 1 } },
  { name: 'w3', zone: 'b', total: { slots: 6, cpuMilli: 8000, memoryMb: 4096 } },
  { name: 'w4', zone: 'b', total: { slots: 2, cpuMilli: 1000, memoryMb: 2048 } },
  { name: 'w5', zone: 'c', total: { slots: 3, cpuMilli: 2000, memoryMb: 16384 } },
];

const ACTIONS = {
  submit: 30,
  accept: 25,
  succeed: 22,
  fail: 8,
  stop: 6,
  refuse: 5,
  pass: 15,
  wait: 1,
  cut: 2,
  connect: 5,
  restart: 1,
  foreign: 3,
  cancel: 2,
  changeClass: 2,
  maintain: 2,
  limit: 1,
} as const;
type Action = keyof typeof ACTIONS;
const DRAW = Object.entries(ACTIONS).flatMap(([name, n]) => Array<Action>(n).fill(name as Action));

/**
 * A small fleet on a bad day: everything that can be said to an engine, in a random order that only
 * the seed decides. Workers answer late, twice, or not at all, vanish and come back.
 */
export class Chaos {
  readonly harness: Harness;
  readonly #dice: ReturnType<typeof seededRandom>;
  readonly #machines = new Map<string, Machine>();
  readonly #specs: readonly JobSpec[];
  #instance = 1;

  constructor(seed: number, settings: Partial<EngineSettings> = {}) {
    this.#dice = seededRandom(seed);
    this.harness = new Harness({ seed: seed ^ 0x5eed, partitions: [0, 1], settings });
    this.#specs = specs();
    for (const params of FLEET) {
      const info = buildWorker(params);
      this.#machines.set(info.name, { info, connected: true, holds: new Map() });
      this.harness.addWorker(params);
    }
  }

  /** One random thing happens, and the engine hands out what it then can; answers the facts of it. */
  act(): Fact[] {
    const from = this.harness.facts.length;
    this.#do(this.#pick(DRAW));
    this.#deliver(this.harness.step().effects);
    return this.harness.facts.slice(from);
  }

  #do(action: Action): void {
    const { harness } = this;
    switch (action) {
      case 'submit':
        return this.#submit();
      case 'accept':
      case 'succeed':
      case 'fail':
      case 'stop':
      case 'refuse':
        return this.#report(action);
      case 'pass':
        return this.#pass(this.#dice.int(700));
      case 'wait':
        return this.#pass(this.#dice.int(40_000));
      case 'cut':
        return this.#cut();
      case 'connect':
      case 'restart':
        return this.#connect(action === 'restart');
      case 'foreign': {
        const worker = this.#pick([...this.#machines.values()]);
        if (!worker.connected) return;
        const { name } = worker.info;
        const beat = { worker: name, foreignUse: this.#foreignUse(), progress: [] };
        harness.apply({ kind: 'beat', ...beat });
        return;
      }
      case 'maintain': {
        const worker = this.#pick(FLEET).name as string;
        const kinds = ['drainWorker', 'cordonWorker', 'uncordonWorker', 'evictWorker'] as const;
        harness.apply({ kind: this.#pick([...kinds, 'uncordonWorker']), worker } as Command);
        return;
      }
      case 'limit': {
        const runningMax = this.#pick([1, 3, 1000]);
        const tenant = this.#pick(['anna', 'bert']);
        harness.apply({ kind: 'setTenant', tenant, weight: this.#pick([1, 2]), runningMax });
        return;
      }
      default:
        return this.#changeRun(action);
    }
  }

  #submit(): void {
    const spec = this.#pick(this.#specs);
    const dueAt = this.harness.now + this.#dice.int(5_000);
    this.harness.trySubmit({
      spec,
      partition: this.#dice.int(2),
      runClass: this.#pick<Class>([0, 1, 1, 2]),
      head: this.#dice.int(10) === 0 ? { dueAt } : {},
    });
  }

  #changeRun(action: 'cancel' | 'changeClass'): void {
    const books = [...this.harness.engine.core.books.values()];
    const runs = books.flatMap((book) => [...book.runs.values()]);
    if (runs.length === 0) return;
    const { partition, seq } = this.#pick(runs);
    const of = { partition, seq, by: 'someone', reason: 'why not' };
    if (action === 'cancel') this.harness.apply({ kind: 'cancel', ...of });
    else this.harness.apply({ kind: 'changeClass', ...of, class: this.#pick<Class>([0, 1, 2]) });
  }

  #report(action: 'accept' | 'succeed' | 'fail' | 'stop' | 'refuse'): void {
    const machine = this.#pick([...this.#machines.values()]);
    if (!machine.connected || machine.holds.size === 0) return;
    const [key, held] = this.#pick([...machine.holds]);
    const of = { worker: machine.info.name, ref: held.ref };
    if (action === 'accept') {
      held.accepted = true;
      this.harness.apply({ kind: 'accept', ...of });
      return;
    }
    machine.holds.delete(key);
    if (action === 'refuse' && !held.accepted) {
      const foreignUse = this.#dice.int(2) === 0 ? null : this.#foreignUse();
      this.harness.apply({ kind: 'refuse', ...of, foreignUse });
    } else if (action === 'fail') {
      const error = this.#pick(['timeout', 'out of memory', 'permission denied']);
      this.harness.apply({ kind: 'finish', ...of, result: { kind: 'failed', error } });
    } else {
      const result =
        action === 'stop'
          ? ({ kind: 'stopped' } as const)
          : ({ kind: 'succeeded', output: null } as const);
      this.harness.apply({ kind: 'finish', ...of, result });
    }
  }

  #pass(ms: number): void {
    const from = this.harness.effects.length;
    this.harness.advance(ms);
    this.#deliver(this.harness.effects.slice(from));
  }

  #cut(): void {
    const machine = this.#pick([...this.#machines.values()]);
    if (!machine.connected) return;
    machine.connected = false;
    // Sometimes the node does not notice and hears nothing more.
    if (this.#dice.int(3) === 0) this.harness.mute(machine.info.name);
    else this.harness.apply({ kind: 'detachWorker', worker: machine.info.name });
  }

  #connect(restarted: boolean): void {
    const machine = this.#pick([...this.#machines.values()]);
    if (machine.connected && !restarted) return;
    if (restarted) {
      machine.holds.clear();
      machine.info = { ...machine.info, instance: `i${++this.#instance}` };
    }
    machine.connected = true;
    this.harness.unmute(machine.info.name);
    this.harness.apply({
      kind: 'attachWorker',
      info: machine.info,
      foreignUse: NO_RESOURCES,
      holds: [...machine.holds.values()].map(({ ref }) => ref),
    });
  }

  /** What is sent while the connection is down is lost. */
  #deliver(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (!isToWorker(effect)) continue;
      const machine = this.#machines.get(effect.worker);
      if (machine === undefined || !machine.connected) continue;
      if (effect.kind === 'assign') {
        const ref = refOf(effect.attempt);
        machine.holds.set(keyOf(ref), { ref, accepted: false });
        // What is told to stop takes a moment to go, and then says so: it stays held until then.
      } else if (effect.kind === 'confirm') machine.holds.delete(keyOf(effect.ref));
    }
  }

  #foreignUse(): Resources {
    if (this.#dice.int(2) === 0) return NO_RESOURCES;
    return resources({ slots: this.#dice.int(5), cpuMilli: 500 * this.#dice.int(6) });
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#dice.int(list.length)] as T;
  }
}

function keyOf(ref: AttemptRef): string {
  return `${ref.partition}/${ref.seq}/${ref.task}/${ref.epoch}/${ref.token}`;
}

function specs(): JobSpec[] {
  const timeouts = { hardMs: 20_000, graceMs: 2_000 };
  return ['anna', 'bert'].flatMap((tenant) => [
    buildSpec({ tenant, job: 'plain' }),
    buildSpec({ tenant, job: 'wide', request: { slots: 2, cpuMilli: 1500 } }),
    buildSpec({ tenant, job: 'fat', request: { memoryMb: 1500 }, timeouts, critical: true }),
    buildSpec({ tenant, job: 'gpu', request: { gpu: 1 }, timeouts }),
    buildSpec({ tenant, job: 'zoned', zone: 'b', request: { cpuMilli: 300 } }),
    buildSpec({ tenant, job: 'alone', apart: ['alone', 'wide'] }),
    buildSpec({
      tenant,
      job: 'graph',
      tasks: [{ name: 'x' }, { name: 'y', after: ['x'] }, { name: 'z', after: ['x'], timeouts }],
    }),
  ]);
}
