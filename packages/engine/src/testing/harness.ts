import type { Answer, AttemptResult, Command } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { type Decided, Engine, type EnginePorts } from '../engine.ts';
import type { Fact } from '../facts/facts.ts';
import type { FailureClass } from '../facts/reasons.ts';
import { Book } from '../model/book.ts';
import type { Class } from '../model/classes.ts';
import { type Random, seededRandom } from '../model/random.ts';
import { NO_RESOURCES, type Resources } from '../model/resources.ts';
import { type Attempt, type AttemptRef, type Run, type RunHead, refOf } from '../model/run.ts';
import type { JobSpec } from '../model/spec.ts';
import type { Worker } from '../model/worker.ts';
import type { EngineSettings } from '../settings.ts';
import type { ZoneOf } from '../triggers/recurrence.ts';
import { buildSpec, buildWorker, type JobParams, type WorkerParams } from './builders.ts';

/** A time as real ones are, so that arithmetic on it loses the precision that it would really lose. */
export const START_MS = 1_750_000_000_000;

export interface SubmitParams extends JobParams {
  /** Instead of the fields of a job. */
  readonly spec?: JobSpec;
  readonly partition?: number;
  readonly head?: RunHead;
  /** Of this run only; `class` is the job's. */
  readonly runClass?: Class;
  readonly input?: Uint8Array | null;
}

/**
 * One engine with its own time and dice, driven as the commit loop drives it, except that every
 * group is durable at once. Workers beat by themselves while time advances, unless muted.
 */
export class Harness {
  readonly engine: Engine;
  readonly random: Random & { int(below: number): number };
  now: number;
  /** Everything that was decided so far, in order. */
  readonly facts: Fact[] = [];
  readonly effects: Effect[] = [];
  readonly #muted = new Set<string>();
  #beatAt: number;
  #group = 1;

  constructor(
    params: {
      settings?: Partial<EngineSettings>;
      seed?: number;
      partitions?: readonly number[];
      zoneOf?: ZoneOf;
      graphPorts?: EnginePorts;
    } = {},
  ) {
    this.engine = new Engine(params.settings, params.zoneOf, params.graphPorts);
    this.random = seededRandom(params.seed ?? 1);
    this.now = START_MS;
    this.#beatAt = this.now + this.engine.core.settings.heartbeatMs;
    for (const partition of params.partitions ?? [0]) {
      this.apply({ kind: 'takePartition', book: new Book(partition, 1) });
    }
    this.engine.take(this.#group);
  }

  apply(command: Command): Answer {
    return this.engine.apply(command, this.now, this.random);
  }

  /** Hands out what can be handed out now and makes it durable; answers what was decided since. */
  step(): Decided {
    while (this.engine.schedule(this.now, this.random));
    return this.flush();
  }

  /** Makes durable what was decided so far, without handing out anything. */
  flush(): Decided {
    const decided = this.engine.take(++this.#group);
    this.engine.confirm(this.#group - 1);
    for (const effect of decided.effects) if (effect.kind === 'assign') effect.attempt.sent = true;
    for (const fact of decided.facts) this.facts.push(fact);
    for (const effect of decided.effects) this.effects.push(effect);
    return decided;
  }

  /** Lets time pass: ticks and steps at every moment that the engine asked for, beats in between. */
  advance(ms: number): void {
    const until = this.now + ms;
    this.tick();
    while (this.now < until) {
      this.now = Math.min(until, Math.max(this.now + 1, this.wakeAt()));
      this.tick();
    }
  }

  /** When the engine, or a beat, is due next. Nobody beats where there is no worker: a year passes at once. */
  wakeAt(): number {
    const hasWorkers = this.engine.core.workers.workers.size > 0;
    const beatAt = hasWorkers ? this.#beatAt : Number.POSITIVE_INFINITY;
    return Math.min(this.engine.nextWakeAt() ?? Number.POSITIVE_INFINITY, beatAt);
  }

  tick(): Decided {
    if (this.now >= this.#beatAt) this.#beatAll();
    this.apply({ kind: 'tick' });
    return this.step();
  }

  addWorker(params: WorkerParams & { foreignUse?: Resources; holds?: AttemptRef[] } = {}): Worker {
    const { foreignUse = NO_RESOURCES, holds = [], ...rest } = params;
    const info = buildWorker(rest);
    this.apply({ kind: 'attachWorker', info, foreignUse, holds });
    return this.worker(info.name);
  }

  worker(name: string): Worker {
    return found(this.engine.core.workers.workers.get(name), `worker ${name}`);
  }

  /** From here on the worker does not beat. */
  mute(name: string): void {
    this.#muted.add(name);
  }

  unmute(name: string): void {
    this.#muted.delete(name);
  }

  /** Submits and answers the run; fails where it was not accepted, or was parked. */
  submit(params: SubmitParams = {}): Run {
    const answer = this.trySubmit(params);
    if (answer.kind !== 'accepted') throw new Error(`submission: ${JSON.stringify(answer)}`);
    return this.run(answer.seq, answer.partition);
  }

  trySubmit(params: SubmitParams = {}): Answer {
    const { spec, partition = 0, head = {}, runClass, input = null, ...job } = params;
    return this.apply({
      kind: 'submit',
      partition,
      spec: spec ?? buildSpec(job),
      head,
      input,
      ...(runClass === undefined ? {} : { class: runClass }),
    });
  }

  run(seq: number, partition = 0): Run {
    return found(this.engine.core.books.get(partition)?.runs.get(seq), `run ${seq}`);
  }

  /** Every live attempt, in the order in which they were assigned. */
  live(): Attempt[] {
    const attempts: Attempt[] = [];
    for (const book of this.engine.core.books.values()) {
      for (const run of book.runs.values()) {
        for (const task of run.tasks) if (task.attempt !== null) attempts.push(task.attempt);
      }
    }
    return attempts.sort((a, b) => a.assignedAt - b.assignedAt || a.token - b.token);
  }

  /** Live attempts that no worker has accepted yet. */
  assigned(): Attempt[] {
    return this.live().filter((attempt) => attempt.task.state === 'ASSIGNED');
  }

  /** The one live attempt of a task. */
  attemptOf(run: Run, task = 0): Attempt {
    return found(run.tasks[task]?.attempt ?? undefined, `attempt of ${run.seq}/${task}`);
  }

  accept(attempt: Attempt): void {
    this.apply({ kind: 'accept', worker: attempt.workerName, ref: refOf(attempt) });
  }

  /** Steps, and lets every worker accept what it got; answers all that runs then. */
  acceptAll(): Attempt[] {
    this.step();
    for (const attempt of this.assigned()) this.accept(attempt);
    this.flush();
    return this.live();
  }

  refuse(attempt: Attempt, foreignUse: Resources | null = null): void {
    this.apply({
      kind: 'refuse',
      worker: attempt.workerName,
      ref: refOf(attempt),
      foreignUse,
    });
  }

  finish(attempt: Attempt, result: AttemptResult): void {
    this.apply({ kind: 'finish', worker: attempt.workerName, ref: refOf(attempt), result });
  }

  succeed(attempt: Attempt, output: Uint8Array | null = null): void {
    this.finish(attempt, { kind: 'succeeded', output });
  }

  fail(
    attempt: Attempt,
    how: { error?: string; class?: FailureClass; exitCode?: number; retryAfterMs?: number } = {},
  ): void {
    this.finish(attempt, { kind: 'failed', error: 'it broke', ...how });
  }

  factsOf<K extends Fact['kind']>(kind: K): (Fact & { kind: K })[] {
    return this.facts.filter((fact): fact is Fact & { kind: K } => fact.kind === kind);
  }

  effectsOf<K extends Effect['kind']>(kind: K): (Effect & { kind: K })[] {
    return this.effects.filter((effect): effect is Effect & { kind: K } => effect.kind === kind);
  }

  #beatAll(): void {
    this.#beatAt = this.now + this.engine.core.settings.heartbeatMs;
    for (const worker of this.engine.core.workers.workers.values()) {
      const { name } = worker.info;
      if (worker.status === 'detached' || this.#muted.has(name)) continue;
      this.apply({ kind: 'beat', worker: name, foreignUse: worker.foreignUse, progress: [] });
    }
  }
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}
