import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { buildSpec, buildWorker, resources } from '../testing/builders.ts';
import { add, clampToZero, NO_RESOURCES, type Resources, subtract } from './resources.ts';
import { Attempt, Run } from './run.ts';
import type { Level, Worker, WorkerStatus } from './worker.ts';
import { WorkerIndex } from './worker-index.ts';

const totals: readonly Resources[] = [
  resources({ slots: 4, cpuMilli: 4000, memoryMb: 8192 }),
  resources({ slots: 8, cpuMilli: 8000, memoryMb: 8192, gpu: 1 }),
];
const requests: readonly Resources[] = [
  resources({ slots: 1 }),
  resources({ slots: 1, cpuMilli: 500, memoryMb: 1024 }),
  resources({ slots: 2, cpuMilli: 1500, memoryMb: 512 }),
  resources({ slots: 1, gpu: 1 }),
];
const statuses: readonly WorkerStatus[] = ['healthy', 'healthy', 'cordoned', 'detached'];

const kinds = ['attach', 'detach', 'take', 'take', 'take', 'give', 'status', 'foreign'] as const;
const ops = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), a: fc.nat(1000), b: fc.nat(1000) }),
  { maxLength: 150, size: 'max' },
);

function attemptOf(request: Resources, workerName: string): Attempt {
  const spec = buildSpec({ request });
  const run = { partition: 0, seq: 1, ms: 0, spec, head: {}, class: 1, input: null } as const;
  const task = new Run({ ...run, inputBytes: 0 }).tasks[0]!;
  const { shape } = task;
  return new Attempt({ task, number: 1, epoch: 1, token: 1, workerName, shape, assignedAt: 0 });
}

/** As the engine does it: the list of attempts first, then the index. */
function take(index: WorkerIndex, worker: Worker, request: Resources): void {
  const attempt = attemptOf(request, worker.info.name);
  worker.attempts.push(attempt);
  index.take(worker, attempt.shape);
}

function give(index: WorkerIndex, worker: Worker, at: number): void {
  const [attempt] = worker.attempts.splice(at % Math.max(1, worker.attempts.length), 1);
  if (attempt !== undefined) index.give(worker, attempt.shape);
}

function freeOf(worker: Worker): Resources {
  let free = subtract(worker.info.total, worker.foreignUse);
  for (const attempt of worker.attempts) free = subtract(free, attempt.shape.request);
  return clampToZero(free);
}

function run(index: WorkerIndex, op: { kind: string; a: number; b: number }): void {
  const workers = [...index.workers.values()];
  const worker = workers[op.a % Math.max(1, workers.length)];
  if (op.kind === 'attach') {
    const total = totals[op.b % totals.length]!;
    const zone = op.a % 2 === 0 ? 'a' : 'b';
    const info = buildWorker({ name: `w${op.a % 6}`, zone, total });
    if (index.workers.has(info.name)) return;
    index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
  } else if (worker === undefined) return;
  else if (op.kind === 'detach') index.detach(worker);
  else if (op.kind === 'take') take(index, worker, requests[op.b % requests.length]!);
  else if (op.kind === 'give') give(index, worker, op.b);
  else if (op.kind === 'status') {
    worker.status = statuses[op.b % statuses.length]!;
    index.refresh(worker);
  } else {
    worker.foreignUse = resources({ slots: op.b % 9, cpuMilli: 1000 * (op.b % 4) });
    index.refresh(worker);
  }
}

function check(index: WorkerIndex): void {
  const members = new Set<Worker>();
  for (const [position, level] of index.levels.entries()) {
    expect(level.position).toBe(position);
    expect(level.members.length).toBeGreaterThan(0);
    expect(level.free.slots).toBeGreaterThan(0);
    for (const [at, worker] of level.members.entries()) {
      expect(worker.level).toBe(level);
      expect(worker.levelIndex).toBe(at);
      expect(worker.workerKind).toBe(level.kind);
      expect(worker.free).toEqual(level.free);
      expect(index.workers.get(worker.info.name)).toBe(worker);
      expect(members.has(worker)).toBe(false);
      members.add(worker);
    }
  }
  let total = NO_RESOURCES;
  for (const worker of index.workers.values()) {
    total = add(total, worker.info.total);
    const listed = worker.status === 'healthy' && worker.free.slots > 0;
    expect(members.has(worker)).toBe(listed);
    expect(worker.level === null).toBe(worker.status !== 'healthy');
  }
  expect(index.total).toEqual(total);
  expect(index.zoneCount).toBe(new Set([...index.workers.values()].map((w) => w.info.zone)).size);
}

describe('WorkerIndex', () => {
  it('knows of every worker what recomputing from its attempts would give', () => {
    assertProperty(
      fc.property(ops, (list) => {
        const index = new WorkerIndex();
        for (const op of list) {
          // Nothing is taken that does not fit: that is placement's part.
          run(index, op.kind === 'take' && !fitsAny(index, op) ? { ...op, kind: 'give' } : op);
          check(index);
          for (const worker of index.workers.values()) {
            if (worker.status === 'healthy') expect(worker.free).toEqual(freeOf(worker));
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('PLC-01: a worker that holds more than it has offers nothing until that is worked off', () => {
    const index = new WorkerIndex();
    const info = buildWorker({ total: { slots: 2 } });
    const worker = index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
    // It came back smaller than it was, with four attempts of before.
    for (let i = 0; i < 4; i++) take(index, worker, requests[0]!);
    index.refresh(worker);
    const offered = [worker.free.slots];
    for (let i = 0; i < 4; i++) {
      give(index, worker, 0);
      offered.push(worker.free.slots);
    }
    expect(offered).toEqual([0, 0, 0, 1, 2]);
  });

  it('shares one level between equal workers, so that a fleet is a few levels', () => {
    const index = new WorkerIndex();
    for (let i = 0; i < 500; i++) {
      const info = buildWorker({ name: `w${i}`, total: { slots: 4 } });
      index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
    }
    expect(index.levels.length).toBe(1);
    for (const worker of [...index.workers.values()].slice(0, 100))
      take(index, worker, requests[0]!);
    expect(index.levels.map((level: Level) => level.members.length).sort()).toEqual([100, 400]);
  });

  it('forgets levels that are long empty without losing anybody', () => {
    const index = new WorkerIndex();
    const attach = (name: string): Worker => {
      const info = buildWorker({ name, total: { slots: 4, memoryMb: 1_000_000 } });
      return index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
    };
    const [restless, steady] = [attach('restless'), attach('steady')];
    take(index, steady, requests[0]!);
    for (let memoryMb = 0; memoryMb < 110_000; memoryMb++) {
      restless.foreignUse = resources({ memoryMb });
      index.refresh(restless);
      if (memoryMb % 1000 !== 0) continue;
      take(index, steady, requests[1]!);
      give(index, steady, 1);
      check(index);
      expect(steady.free).toEqual(freeOf(steady));
      expect(restless.free).toEqual(freeOf(restless));
    }
  });

  it('keeps nothing of workers that have gone, however many kinds of them there were', () => {
    const index = new WorkerIndex();
    for (let i = 0; i < 200; i++) {
      const labels = { pod: `pod-${i}` };
      const info = buildWorker({ name: `w${i}`, zone: `z${i % 7}`, labels, total: { slots: 4 } });
      const worker = index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
      take(index, worker, requests[0]!);
      check(index);
      const before = index.workers.get(`w${i - 2}`);
      if (before !== undefined) index.detach(before);
    }
    expect(index.remembered).toEqual({ kinds: 2, levels: 4, zones: 2 });
    for (const worker of [...index.workers.values()]) index.detach(worker);
    expect(index.remembered).toEqual({ kinds: 0, levels: 0, zones: 0 });
  });

  it('gives two zones that have workers at the same time different numbers', () => {
    const index = new WorkerIndex();
    const attach = (zone: string): Worker => {
      const info = buildWorker({ name: zone, zone });
      return index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
    };
    const [a] = [attach('a'), attach('b')];
    index.detach(a);
    for (const zone of ['c', 'd']) attach(zone);
    const ids = [...index.workers.values()].map(({ workerKind }) => workerKind.zoneId);
    expect(new Set(ids).size).toBe(3);
  });

  it('refuses to attach a name twice', () => {
    const index = new WorkerIndex();
    const params = { info: buildWorker(), foreignUse: NO_RESOURCES, now: 0 };
    index.attach(params);
    expect(() => index.attach(params)).toThrow('I16');
  });
});

function fitsAny(index: WorkerIndex, op: { a: number; b: number }): boolean {
  const workers = [...index.workers.values()];
  const worker = workers[op.a % Math.max(1, workers.length)];
  const request = requests[op.b % requests.length]!;
  if (worker === undefined) return false;
  const left = subtract(worker.free, request);
  return Object.values(left).every((amount) => amount >= 0);
}
