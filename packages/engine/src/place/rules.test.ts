import { describe, expect, it } from 'vitest';
import type { Class } from '../model/classes.ts';
import { DEFAULT_SETTINGS, type PlacementSettings } from '../settings.ts';
import { type JobParams, resources } from '../testing/builders.ts';
import { Harness } from '../testing/harness.ts';
import { explainPlacement } from './explain.ts';

const { budgets } = DEFAULT_SETTINGS.placement;
const none = { locality: 0, tightFit: 0, balance: 0, zoneSpread: 0 };

type WorkerParams = NonNullable<Parameters<Harness['addWorker']>[0]>;

function fleet(workers: readonly WorkerParams[], weights?: PlacementSettings['weights']): Harness {
  const h = new Harness(
    weights === undefined ? {} : { settings: { placement: { weights, budgets } } },
  );
  for (const [i, worker] of workers.entries()) h.addWorker({ name: `w${i + 1}`, ...worker });
  return h;
}

/** The name of the worker that gets the task, or null where it waits. */
function place(h: Harness, job: JobParams): string | null {
  const run = h.submit({ class: 2, ...job });
  h.step();
  return run.tasks[0]?.attempt?.workerName ?? null;
}

describe('scores', () => {
  it('PLC-03: data locality: where more of the preferred labels are', () => {
    const workers = [
      { labels: { data: 'x' } },
      { labels: { data: 'x', rack: '7' } },
      { labels: { data: 'y', rack: '7' } },
    ];
    const prefer = { data: 'x', rack: '7' };
    expect(place(fleet(workers, { ...none, locality: 1 }), { prefer })).toBe('w2');
    expect(place(fleet(workers), { prefer })).toBe('w2');
  });

  it('PLC-03: tight fit: where the least is left over in what the task asks for', () => {
    const workers = [
      { total: { slots: 10, memoryMb: 8_000 } },
      { total: { slots: 10, memoryMb: 8_000 }, foreignUse: resources({ memoryMb: 5_000 }) },
      { total: { slots: 10, memoryMb: 8_000 }, foreignUse: resources({ memoryMb: 7_000 }) },
    ];
    const request = { memoryMb: 2_000 };
    expect(place(fleet(workers, { ...none, tightFit: 1 }), { request })).toBe('w2');
    expect(place(fleet(workers), { request })).toBe('w2');
  });

  it('PLC-03: load balance: where the fullest dimension is emptiest', () => {
    const total = { slots: 10, cpuMilli: 10_000, memoryMb: 10_000 };
    const workers = [
      { total, foreignUse: resources({ cpuMilli: 6_000 }) },
      { total, foreignUse: resources({ cpuMilli: 5_000, memoryMb: 5_000 }) },
      { total, foreignUse: resources({ memoryMb: 9_000 }) },
    ];
    expect(place(fleet(workers, { ...none, balance: 1 }), {})).toBe('w2');
  });

  it('PLC-03: zone diversity: where the fewest of the job run', () => {
    const total = { slots: 100 };
    const h = fleet(
      [
        { zone: 'a', total },
        { zone: 'b', total },
        { zone: 'c', total },
      ],
      { ...none, zoneSpread: 1 },
    );
    const zones = Array.from({ length: 6 }, () => place(h, { job: 'spread' }));
    expect(zones.slice(0, 3).toSorted()).toEqual(['w1', 'w2', 'w3']);
    expect(zones.slice(3).toSorted()).toEqual(['w1', 'w2', 'w3']);
    // Another job has a count of its own.
    expect(place(h, { job: 'other' })).not.toBeNull();
  });

  it('PLC-03: together they are weighed, and other weights give another winner', () => {
    const total = { slots: 10 };
    const workers = [
      { zone: 'a', total, labels: { data: 'x' } },
      { zone: 'a', total, foreignUse: resources({ slots: 8 }) },
    ];
    const prefer = { data: 'x' };
    // Nine tenths more of tight fit do not outweigh where the data is, unless it is weighed so.
    expect(place(fleet(workers), { prefer })).toBe('w1');
    expect(place(fleet(workers), {})).toBe('w2');
    const tight = { ...none, locality: 1, tightFit: 20 };
    expect(place(fleet(workers, tight), { prefer })).toBe('w2');
    expect(place(fleet(workers, { ...none, tightFit: 1, balance: 3 }), {})).toBe('w1');
  });

  it('PLC-03: the score is in the fact, in thousandths', () => {
    const h = fleet([
      { zone: 'a', total: { slots: 10, cpuMilli: 4_000 }, labels: { data: 'x' } },
      { zone: 'b', total: { slots: 1 }, foreignUse: resources({ slots: 1 }) },
    ]);
    place(h, { job: 'one', prefer: { data: 'x', rack: '7' }, request: { cpuMilli: 1_000 } });
    place(h, { job: 'two' });
    // One of two labels: 4 × 1/2. It fills a quarter of the cpu: 2 × 1/4. Empty: 1. First of its job: 1.
    const first = 2_000 + 500 + 1_000 + 1_000;
    // Two of ten slots: 2 × 1/5. A quarter of the cpu is in use: 3/4. First of its job: 1.
    const second = 400 + 750 + 1_000;
    expect(h.factsOf('taskAssigned').map((fact) => fact.score)).toEqual([first, second]);
  });
});

describe('filters', () => {
  it('PLC-05: a task that names a zone runs there only, for every class', () => {
    const workers = ['a', 'b', 'c'].map((zone) => ({ zone, total: { slots: 3 } }));
    for (const klass of [0, 1, 2] as Class[]) {
      const h = fleet(workers);
      const placed = [1, 2, 3, 4].map(() => place(h, { zone: 'b', class: klass }));
      expect(placed).toEqual(['w2', 'w2', 'w2', null]);
    }
  });

  it('PLC-05: with none free there it waits, and the diagnosis says for what', () => {
    const h = fleet([
      { zone: 'a', total: { slots: 3 } },
      { zone: 'b', total: { slots: 1 } },
      { zone: 'b', total: { slots: 1 } },
    ]);
    h.apply({ kind: 'cordonWorker', worker: 'w3' });
    place(h, { zone: 'b' });
    const run = h.submit({ zone: 'b' });
    h.step();
    const task = run.tasks[0]!;
    expect(task.state).toBe('QUEUED');
    expect(Object.fromEntries(explainPlacement(h.engine.core.workers, task))).toEqual({
      ZONE_MISMATCH: 1,
      NO_WORKER_CAPACITY: 1,
      WORKER_NOT_AVAILABLE: 1,
    });
    h.addWorker({ name: 'w4', zone: 'b' });
    expect(explainPlacement(h.engine.core.workers, task).size).toBe(0);
    h.step();
    expect(h.attemptOf(run).workerName).toBe('w4');
  });

  it('PLC-06: tasks that are to be kept apart never share a worker, whichever came first', () => {
    const workers = Array.from({ length: 3 }, () => ({ total: { slots: 50 } }));
    const shy: JobParams = { job: 'shy', apart: ['shy', 'loud'] };
    for (const jobs of [
      [shy, { job: 'loud' }],
      [{ job: 'loud' }, shy],
    ] as JobParams[][]) {
      const h = fleet(workers);
      for (const job of jobs) for (let i = 0; i < 3; i++) place(h, job);
      for (const worker of h.engine.core.workers.workers.values()) {
        const names = worker.attempts.map((attempt) => attempt.task.run.spec.job);
        const shyOnes = names.filter((name) => name === 'shy').length;
        expect(shyOnes <= 1 && (shyOnes === 0 || !names.includes('loud'))).toBe(true);
      }
    }
  });

  it('PLC-06: a single task of a job can be named, and the rest of the job is free', () => {
    const h = fleet([{ total: { slots: 9 } }]);
    place(h, { job: 'lone', apart: ['graph.heavy'] });
    const graph = h.submit({ job: 'graph', tasks: [{ name: 'heavy' }, { name: 'light' }] });
    h.step();
    expect(graph.tasks.map((task) => task.state)).toEqual(['QUEUED', 'ASSIGNED']);
    const why = explainPlacement(h.engine.core.workers, graph.tasks[0]!);
    expect([...why.keys()]).toEqual(['KEPT_APART']);
  });

  it('PLC-06: ends with the attempt it was asked for', () => {
    const h = fleet([{ total: { slots: 9 } }]);
    const first = h.submit({ job: 'shy', apart: ['shy'] });
    const second = h.submit({ job: 'shy', apart: ['shy'] });
    h.step();
    expect(second.tasks[0]?.state).toBe('QUEUED');
    h.succeed(h.attemptOf(first));
    h.step();
    expect(second.tasks[0]?.state).toBe('ASSIGNED');
  });

  it("PLC-06: nobody can bar a worker to another tenant's job by naming it", () => {
    const h = fleet([{ total: { slots: 9 } }]);
    expect(place(h, { tenant: 'anna', job: 'shy', apart: ['etl'] })).toBe('w1');
    expect(place(h, { tenant: 'bert', job: 'etl' })).toBe('w1');
    expect(place(h, { tenant: 'cleo', job: 'shy', apart: ['etl'] })).toBe('w1');
    expect(place(h, { tenant: 'anna', job: 'etl' })).toBeNull();
  });

  it('PLC-02: labels, executor, size and health: each by itself keeps a task away, and says so', () => {
    const cases: [WorkerParams, JobParams, string][] = [
      [{ labels: { disk: 'hdd' } }, { labels: { disk: 'ssd' } }, 'LABELS_MISMATCH'],
      [{ executors: ['handler'] }, { executor: 'container' }, 'NO_EXECUTOR'],
      [{ total: { gpu: 0 } }, { request: { gpu: 1 } }, 'REQUEST_TOO_LARGE'],
      [{ total: { diskMb: 10 } }, { request: { diskMb: 11 } }, 'REQUEST_TOO_LARGE'],
      [{ total: { slots: 0 } }, {}, 'REQUEST_TOO_LARGE'],
    ];
    for (const [worker, job, reason] of cases) {
      const h = fleet([worker]);
      const run = h.submit(job);
      h.step();
      expect(run.tasks[0]?.state).toBe('QUEUED');
      const why = explainPlacement(h.engine.core.workers, run.tasks[0]!);
      expect([...why.keys()]).toEqual([reason]);
    }
    const empty = new Harness();
    const task = empty.submit().tasks[0]!;
    expect([...explainPlacement(empty.engine.core.workers, task).keys()]).toEqual([
      'NO_WORKER_ATTACHED',
    ]);
  });
});
