import {
  Book,
  type Core,
  Engine,
  isTerminalTask,
  type JobDefinition,
  jobSpec,
  NO_RESOURCES,
  type Resources,
  refOf,
  seededRandom,
  type Task,
} from '@signalbox/engine';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from './diagnose.ts';

const NOW = 1_750_000_000_000;

interface WorkerSpec {
  readonly zone: string;
  readonly executors: readonly string[];
  readonly slots: number;
  readonly memoryMb: number;
  readonly cordoned: boolean;
}

interface TaskSpec {
  readonly tenant: string;
  readonly class: 0 | 1 | 2;
  readonly zone: string | null;
  readonly executor: string;
  readonly memoryMb: number;
  readonly apart: boolean;
}

/** An engine on one partition, driven by hand. */
class Bench {
  readonly engine = new Engine();
  readonly #random = seededRandom(3);
  #workers = 0;

  constructor() {
    this.engine.apply({ kind: 'takePartition', book: new Book(0, 1) }, NOW, this.#random);
  }

  get core(): Core {
    return this.engine.core;
  }

  attach(spec: WorkerSpec): void {
    const name = `w${++this.#workers}`;
    const total: Resources = { ...NO_RESOURCES, slots: spec.slots, memoryMb: spec.memoryMb };
    const { zone, executors } = spec;
    const info = { name, instance: 'a', zone, labels: {}, executors, total };
    const attach = { kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] } as const;
    this.engine.apply(attach, NOW, this.#random);
    if (!spec.cordoned) return;
    this.engine.apply({ kind: 'cordonWorker', worker: name }, NOW, this.#random);
  }

  submit(spec: TaskSpec): Task {
    const definition: JobDefinition = {
      tasks: [
        {
          name: 'main',
          executor: spec.executor,
          request: { memoryMb: spec.memoryMb },
          ...(spec.zone === null ? {} : { zone: spec.zone }),
          ...(spec.apart ? { apart: ['job'] } : {}),
        },
      ],
    };
    const job = jobSpec({ tenant: spec.tenant, job: 'job', version: 1, definition });
    const submit = { kind: 'submit', partition: 0, spec: job, head: {}, input: null } as const;
    const answer = this.engine.apply({ ...submit, class: spec.class }, NOW, this.#random);
    if (answer.kind !== 'accepted') throw new Error('not accepted');
    return this.core.books.get(0)?.runs.get(answer.seq)?.tasks[0] as Task;
  }

  limit(tenant: string, runningMax: number): void {
    this.engine.apply({ kind: 'setTenant', tenant, weight: 1, runningMax }, NOW, this.#random);
  }

  step(): void {
    while (this.engine.schedule(NOW, this.#random));
    this.engine.take(1);
  }
}

const worker: fc.Arbitrary<WorkerSpec> = fc.record({
  zone: fc.constantFrom('a', 'b'),
  executors: fc.subarray(['x', 'y']),
  slots: fc.integer({ min: 1, max: 3 }),
  memoryMb: fc.constantFrom(0, 100, 200),
  cordoned: fc.boolean(),
});
const task: fc.Arbitrary<TaskSpec> = fc.record({
  tenant: fc.constantFrom('t1', 't2'),
  class: fc.constantFrom(0, 1, 2),
  zone: fc.constantFrom(null, 'a', 'b'),
  executor: fc.constantFrom('x', 'y'),
  memoryMb: fc.constantFrom(0, 50, 150),
  apart: fc.boolean(),
});

/** Does what the suggestion says; the numbers of the finding are all that it goes by. */
function lift(bench: Bench, waiting: Task): void {
  const { reason, numbers, detail, suggestion } = diagnose(bench.core, waiting, NOW);
  expect(Object.keys(numbers), reason).not.toEqual([]);
  expect([detail, suggestion], reason).not.toContain('');
  const { shape, run } = waiting;
  const room = reason === 'PRIORITY_QUEUE_WAIT' ? (numbers['position'] as number) : 1;
  switch (reason) {
    case 'TENANT_OVER_QUOTA':
      return bench.limit(run.spec.tenant, (numbers['running'] as number) + 1);
    case 'NO_WORKER_ATTACHED':
    case 'NO_WORKER_OFFERS':
    case 'REQUEST_TOO_LARGE':
    case 'WORKERS_NOT_AVAILABLE':
    case 'KEPT_APART':
    case 'NO_WORKER_CAPACITY':
    case 'PRIORITY_QUEUE_WAIT':
      // One worker for each that is served first: some of them may not share one.
      for (let i = 0; i < room; i++) {
        bench.attach({
          zone: shape.zone ?? 'a',
          executors: [shape.executor as string],
          slots: 1,
          memoryMb: shape.request.memoryMb,
          cordoned: false,
        });
      }
      return;
    default:
      throw new Error(`nothing lifts ${reason}`);
  }
}

describe('diagnosis', () => {
  it('OBS-01 U059 what it says lifts the constraint does, one after the other, until the task runs', () => {
    fc.assert(
      fc.property(
        fc.array(worker, { maxLength: 4 }),
        fc.array(task, { minLength: 1, maxLength: 8 }),
        fc.nat({ max: 2 }),
        (workers, tasks, runningMax) => {
          const bench = new Bench();
          for (const each of workers) bench.attach(each);
          bench.limit('t1', runningMax);
          const submitted = tasks.map((each) => bench.submit(each));
          bench.step();
          for (const waiting of submitted) {
            const reasons: string[] = [];
            while (waiting.attempt === null && !isTerminalTask(waiting.state)) {
              reasons.push(diagnose(bench.core, waiting, NOW).reason);
              lift(bench, waiting);
              bench.step();
              // A limit, then placement, then those who came ahead because of it: never in circles.
              expect(reasons.length, reasons.join(' ')).toBeLessThan(tasks.length + 6);
            }
            expect(diagnose(bench.core, waiting, NOW).reason).toBe('WAITING_ACCEPT');
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('the first in line starts with the one change that is suggested', () => {
    fc.assert(
      fc.property(fc.array(worker, { maxLength: 4 }), task, (workers, only) => {
        const bench = new Bench();
        for (const each of workers) bench.attach(each);
        const waiting = bench.submit(only);
        bench.step();
        if (waiting.attempt !== null) return;
        lift(bench, waiting);
        bench.step();
        expect(waiting.state).toBe('ASSIGNED');
      }),
      { numRuns: 300 },
    );
  });

  it('U016 a hung task that blocks the only slot of its tenant is named, and expires by its timeout', () => {
    const engine = new Engine();
    const random = seededRandom(5);
    let now = NOW;
    const apply = (command: Parameters<Engine['apply']>[0]) => engine.apply(command, now, random);
    const step = () => {
      apply({ kind: 'tick' });
      while (engine.schedule(now, random));
      return engine.take(1).effects;
    };
    apply({ kind: 'takePartition', book: new Book(0, 1) });
    apply({ kind: 'setTenant', tenant: 't', weight: 1, runningMax: 1 });
    const total = { ...NO_RESOURCES, slots: 5 };
    const about = { name: 'w', instance: 'a', zone: 'a', labels: {}, executors: ['x'], total };
    apply({ kind: 'attachWorker', info: about, foreignUse: NO_RESOURCES, holds: [] });
    const timeouts = { hardMs: 60_000, graceMs: 1_000 };
    const definition = {
      tasks: [{ name: 'main', executor: 'x', timeouts, retry: { attemptsMax: 1 } }],
    };
    const spec = jobSpec({ tenant: 't', job: 'job', version: 1, definition });
    const submit = () => {
      const answer = apply({ kind: 'submit', partition: 0, spec, head: {}, input: null });
      if (answer.kind !== 'accepted') throw new Error('not accepted');
      return engine.core.books.get(0)?.runs.get(answer.seq)?.tasks[0] as Task;
    };
    const [hung, blocked] = [submit(), submit()];
    const assigned = step().find((effect) => effect.kind === 'assign');
    if (assigned?.kind !== 'assign') throw new Error('nothing was assigned');
    apply({ kind: 'accept', worker: 'w', ref: refOf(assigned.attempt) });
    step();
    expect(diagnose(engine.core, blocked, now)).toMatchObject({
      reason: 'TENANT_OVER_QUOTA',
      numbers: { running: 1, maxRunning: 1 },
    });
    // It beats and says nothing else, until its time and its grace are over.
    for (let second = 0; second < 70 && blocked.attempt === null; second++) {
      now += 1_000;
      apply({ kind: 'beat', worker: 'w', foreignUse: NO_RESOURCES, progress: [] });
      step();
    }
    expect(hung.state).toBe('TIMED_OUT');
    expect(blocked.state).toBe('ASSIGNED');
    expect(now - NOW).toBeLessThanOrEqual(67_000);
  });
});
