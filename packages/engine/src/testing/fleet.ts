import type { Class } from '../model/classes.ts';
import type { seededRandom } from '../model/random.ts';
import { DIMENSIONS, NO_RESOURCES, type Resources } from '../model/resources.ts';
import { Attempt, Run, type Task } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { repelKey, type Worker } from '../model/worker.ts';
import { WorkerIndex } from '../model/worker-index.ts';
import { ZoneCounts } from '../model/zone-counts.ts';
import type { PlacementSettings } from '../settings.ts';
import { buildSpec, buildWorker } from './builders.ts';

type Dice = ReturnType<typeof seededRandom>;

/** A fleet in any condition, without an engine around it: the subject of a single placement. */
export interface Fleet {
  readonly index: WorkerIndex;
  readonly zoneCounts: ZoneCounts;
}

const ZONES = ['a', 'b', 'c'];
const LABELS: readonly Record<string, string>[] = [{}, { disk: 'ssd' }, { disk: 'hdd', data: 'x' }];
const STATUSES = ['healthy', 'healthy', 'healthy', 'cordoned', 'suspect', 'detached'] as const;

function pick<T>(dice: Dice, list: readonly T[]): T {
  return list[dice.int(list.length)] as T;
}

export function randomFleet(dice: Dice, size: number): Fleet {
  const index = new WorkerIndex();
  const zoneCounts = new ZoneCounts();
  for (let i = 0; i < size; i++) {
    const total = {
      slots: 1 + dice.int(8),
      cpuMilli: 1000 * (1 + dice.int(8)),
      memoryMb: 1024 * (1 + dice.int(16)),
      gpu: pick(dice, [0, 0, 1, 4]),
    };
    const info = buildWorker({
      name: `w${i}`,
      zone: pick(dice, ZONES),
      labels: pick(dice, LABELS),
      executors: pick(dice, [[], ['handler'], ['handler', 'command']]),
      total,
    });
    const worker = index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
    for (let k = dice.int(4); k > 0; k--) settleOn({ index, zoneCounts }, worker, dice);
    worker.status = pick(dice, STATUSES);
    index.refresh(worker);
  }
  return { index, zoneCounts };
}

/** Something that already runs there, if it fits. */
function settleOn(fleet: Fleet, worker: Worker, dice: Dice): void {
  const request = { slots: 1, cpuMilli: 500 * dice.int(3), memoryMb: 512 * dice.int(4) };
  const apart = pick(dice, [[], [], ['job1'], ['job2.main']]);
  const task = randomTask(dice, { request, apart });
  if (DIMENSIONS.some((d) => task.shape.request[d] > worker.free[d])) return;
  const { shape } = task;
  const name = worker.info.name;
  const of = { task, number: 1, epoch: 1, token: 1, workerName: name, shape, assignedAt: 0 };
  worker.attempts.push(new Attempt(of));
  fleet.index.take(worker, shape);
  fleet.zoneCounts.change(task.run.spec.job, worker.info.zone, 1);
  for (const each of shape.apart) {
    worker.repels ??= new Map();
    const key = repelKey(task.run.spec.tenant, each);
    worker.repels.set(key, (worker.repels.get(key) ?? 0) + 1);
  }
}

export function randomTask(dice: Dice, definition: TaskDefinition = {}): Task {
  const spec = buildSpec({ job: `job${dice.int(4)}`, ...definition });
  const of = { partition: 0, seq: 1, ms: 0, spec, head: {}, input: null, inputBytes: 0 };
  return new Run({ ...of, class: dice.int(3) as Class }).tasks[0] as Task;
}

export function randomDemands(dice: Dice): TaskDefinition {
  return {
    request: {
      slots: 1 + dice.int(3),
      cpuMilli: 500 * dice.int(6),
      memoryMb: 1024 * dice.int(8),
      gpu: pick(dice, [0, 0, 1, 2]),
    },
    ...(dice.int(4) === 0 ? { zone: pick(dice, ZONES) } : {}),
    ...(dice.int(4) === 0 ? { labels: { disk: 'ssd' } } : {}),
    ...(dice.int(3) === 0 ? { prefer: { data: 'x', disk: 'ssd' } } : {}),
    ...(dice.int(4) === 0 ? { executor: 'command' } : {}),
    ...(dice.int(4) === 0 ? { apart: ['job1', 'job3.main'] } : {}),
  };
}

/** Whether the worker may take the task, said once more in plain words. */
export function mayTake(worker: Worker, task: Task): boolean {
  const { request, zone, labels, executor, apart } = task.shape;
  const { info } = worker;
  if (worker.status !== 'healthy') return false;
  const free: Record<string, number> = { ...info.total };
  for (const attempt of worker.attempts) {
    for (const d of DIMENSIONS) free[d] = (free[d] as number) - attempt.shape.request[d];
  }
  if (DIMENSIONS.some((d) => request[d] > (free[d] as number))) return false;
  if (zone !== null && zone !== info.zone) return false;
  if (executor !== null && !info.executors.includes(executor)) return false;
  for (const [name, value] of Object.entries(labels)) {
    if (info.labels[name] !== value) return false;
  }
  return !worker.attempts.some((a) => isNamed(apart, a.task) || isNamed(a.shape.apart, task));
}

function isNamed(names: readonly string[], task: Task): boolean {
  const { job } = task.run.spec;
  return names.includes(job) || names.includes(`${job}.${task.spec.name}`);
}

/** The worth of a worker for a task by the published formula. */
export function worthOf(params: {
  worker: Worker;
  task: Task;
  weights: PlacementSettings['weights'];
  fleet: Fleet;
}): number {
  const { worker, task, weights, fleet } = params;
  const { total, zone, labels } = worker.info;
  const { request, prefer } = task.shape;
  const wanted = Object.entries(prefer);
  const met = wanted.filter(([name, value]) => labels[name] === value).length;
  const used = (d: keyof Resources): number => (total[d] === 0 ? 0 : 1 - worker.free[d] / total[d]);
  const asked = DIMENSIONS.filter((d) => request[d] > 0 && total[d] > 0);
  const tight = asked.map((d) => used(d) + request[d] / total[d]);
  const { job } = task.run.spec;
  const all = fleet.zoneCounts.countAll(job);
  const spread = all === 0 ? 1 : 1 - fleet.zoneCounts.countIn(job, zone) / all;
  return (
    weights.locality * (wanted.length === 0 ? 0 : met / wanted.length) +
    weights.tightFit * Math.max(0, ...tight) +
    weights.balance * (1 - Math.max(...DIMENSIONS.map(used))) +
    (fleet.index.zoneCount > 1 ? weights.zoneSpread * spread : 0)
  );
}
