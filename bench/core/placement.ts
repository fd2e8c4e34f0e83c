import {
  Book,
  Engine,
  jobSpec,
  NO_RESOURCES,
  type Resources,
  refOf,
  seededRandom,
} from '@signalbox/engine';
import { percentile } from './figures.ts';

/**
 * One placement decision in a fleet of 50,000 workers with four resource dimensions besides slots.
 * Twice: a fleet of a few machine types under mixed load, as fleets are, and the worst case, in
 * which no two workers are alike and an exhaustive decision has to look at every one of them.
 */
export function measurePlacement(): Record<string, number> {
  const usual = decide({ alike: true });
  const worst = decide({ alike: false });
  return {
    placementP50Ms50kWorkers: usual.p50,
    placementP99Ms50kWorkers: usual.p99,
    placementP99Ms50kWorkersAllDifferent: worst.p99,
    placementWorkers: 50_000,
  };
}

function decide(params: { alike: boolean }): { p50: number; p99: number } {
  const engine = new Engine({ assignmentsPerStep: 1 });
  const random = seededRandom(3);
  const now = 1_700_000_000_000;
  engine.apply({ kind: 'takePartition', book: new Book(0, 1) }, now, random);
  for (let i = 0; i < 50_000; i++) {
    const info = {
      name: `worker-${i}`,
      instance: 'a',
      zone: `zone-${i % 5}`,
      labels: { pool: `pool-${i % 4}` },
      executors: ['handler'],
      total: params.alike ? machine(i % 3) : different(i),
    };
    engine.apply({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] }, now, random);
  }
  const requests: Partial<Resources>[] = [
    { cpuMilli: 500, memoryMb: 512, diskMb: 1_000 },
    { cpuMilli: 2_000, memoryMb: 4_096, diskMb: 5_000 },
    { cpuMilli: 8_000, memoryMb: 16_384, diskMb: 20_000 },
    { cpuMilli: 1_000, memoryMb: 2_048, gpu: 1, diskMb: 10_000 },
  ];
  const specs = requests.map((request, i) =>
    jobSpec({
      tenant: 't',
      job: `job-${i}`,
      version: 1,
      definition: { class: (i % 3) as 0 | 1 | 2, tasks: [{ request }] },
    }),
  );
  const times: number[] = [];
  const running: Parameters<typeof engine.apply>[0][] = [];
  for (let i = 0; i < 20_000; i++) {
    const spec = specs[random.int(specs.length)] as (typeof specs)[number];
    engine.apply({ kind: 'submit', partition: 0, spec, head: {}, input: null }, now, random);
    const start = performance.now();
    engine.schedule(now, random);
    times.push(performance.now() - start);
    for (const effect of engine.take(0).effects) {
      if (effect.kind !== 'assign') continue;
      const result = { kind: 'succeeded', output: null } as const;
      const { worker, attempt } = effect;
      running.push({ kind: 'finish', worker, ref: refOf(attempt), result });
    }
    // Work ends in random order, so that free resources differ from worker to worker.
    if (running.length > 10_000) {
      const [done] = running.splice(random.int(running.length), 1);
      if (done !== undefined) engine.apply(done, now, random);
    }
  }
  const measured = times.slice(5_000).sort((a, b) => a - b);
  return { p50: percentile(measured, 0.5), p99: percentile(measured, 0.99) };
}

function machine(type: number): Resources {
  return [
    { cpuMilli: 16_000, memoryMb: 65_536, gpu: 0, diskMb: 500_000, slots: 20 },
    { cpuMilli: 64_000, memoryMb: 262_144, gpu: 0, diskMb: 2_000_000, slots: 50 },
    { cpuMilli: 32_000, memoryMb: 131_072, gpu: 4, diskMb: 1_000_000, slots: 20 },
  ][type] as Resources;
}

function different(i: number): Resources {
  return {
    cpuMilli: 16_000 + i,
    memoryMb: 65_536 + i * 7,
    gpu: i % 5,
    diskMb: 500_000 + i * 3,
    slots: 20,
  };
}
