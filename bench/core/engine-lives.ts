import { Book, Engine, jobSpec, NO_RESOURCES, refOf, seededRandom } from '@signalbox/engine';

export interface EngineLives {
  readonly livesPerSecond: number;
  readonly lives: number;
}

/**
 * The engine alone: submit, place, assign, succeed, for many tenants on many workers, in steps as
 * the commit loop makes them. No store, no encoding, no network.
 */
export function measureEngineLives(params: {
  workers: number;
  tenants: number;
  lives: number;
  perStep: number;
}): EngineLives {
  const engine = new Engine();
  const random = seededRandom(1);
  let now = 1_700_000_000_000;
  engine.apply({ kind: 'takePartition', book: new Book(0, 1) }, now, random);
  const total = { cpuMilli: 16_000, memoryMb: 65_536, gpu: 0, diskMb: 500_000, slots: 20 };
  for (let i = 0; i < params.workers; i++) {
    const info = {
      name: `worker-${i}`,
      instance: 'a',
      zone: `zone-${i % 3}`,
      labels: {},
      executors: ['handler'],
      total,
    };
    engine.apply({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] }, now, random);
  }
  const request = { cpuMilli: 500, memoryMb: 1_024, diskMb: 1_000 };
  const specs = Array.from({ length: params.tenants }, (_, i) =>
    jobSpec({
      tenant: `tenant-${i}`,
      job: 'noop',
      version: 1,
      definition: { class: (i % 3) as 0 | 1 | 2, tasks: [{ request }] },
    }),
  );
  const input = new Uint8Array(200);
  const head = {};
  let done = 0;
  let submitted = 0;
  const runStep = (): void => {
    for (let i = 0; i < params.perStep; i++) {
      const spec = specs[submitted++ % specs.length] as (typeof specs)[number];
      engine.apply({ kind: 'submit', partition: 0, spec, head, input }, now, random);
    }
    engine.schedule(now, random);
    const { effects } = engine.take(0);
    now += 3;
    for (const effect of effects) {
      if (effect.kind !== 'assign') continue;
      const { worker, attempt } = effect;
      const ref = refOf(attempt);
      const result = { kind: 'succeeded', output: null } as const;
      engine.apply({ kind: 'finish', worker, ref, result }, now, random);
      done++;
    }
    engine.apply({ kind: 'tick' }, now, random);
    now += 2;
  };
  while (done < params.lives / 5) runStep();
  done = 0;
  const start = performance.now();
  while (done < params.lives) runStep();
  const seconds = (performance.now() - start) / 1000;
  return { livesPerSecond: Math.round(done / seconds), lives: done };
}
