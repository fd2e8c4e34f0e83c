import {
  type Command,
  type Effect,
  Engine,
  type EngineSettings,
  type JobDefinition,
  type JobSpec,
  NO_RESOURCES,
  partitionOf,
  refOf,
  type Task,
} from '@signalbox/engine';
import { CommitLoop, realPorts } from '@signalbox/node';
import type { Store } from '@signalbox/store';

/** A loop on a real store with workers that finish at once: everything but the network. */
export interface Rig {
  readonly loop: CommitLoop;
  readonly specs: readonly JobSpec[];
  /** Lives ended and durable so far. */
  done(): number;
  commits(): number;
  submit(count: number): Promise<void>;
  waitUntilDone(count: number): Promise<void>;
  /** While false, assignments are kept and nothing finishes. */
  setFinishing(on: boolean): void;
  stop(): Promise<void>;
}

export async function startRig(params: {
  store: Store;
  workers: number;
  tenants: number;
  partitions?: number;
  slots?: number;
  settings?: Partial<EngineSettings>;
  checkpointFacts?: number;
  /** Of the job that every tenant has; one plain task unless told. */
  definition?: JobDefinition;
  /** What an attempt gives, by its task. */
  outputOf?: (task: Task) => Uint8Array;
  /** Told of every assignment, once it is durable. */
  assigned?: (task: Task) => void;
}): Promise<Rig> {
  const engine = new Engine(params.settings);
  const partitions = params.partitions ?? 1;
  let done = 0;
  let commits = 0;
  let finishing = true;
  const kept: Effect[] = [];
  let waiting: { count: number; resolve: () => void } | null = null;
  const finish = (effect: Effect): void => {
    if (effect.kind !== 'assign') return;
    const { worker, attempt } = effect;
    params.assigned?.(attempt.task);
    loop.report({
      kind: 'finish',
      worker,
      ref: refOf(attempt),
      result: { kind: 'succeeded', output: params.outputOf?.(attempt.task) ?? OUTPUT },
    });
  };
  const ports = realPorts({
    release: (effects) => {
      for (const effect of effects) {
        if (effect.kind === 'confirm') done++;
        else if (finishing) finish(effect);
        else kept.push(effect);
      }
      if (waiting !== null && done >= waiting.count) waiting.resolve();
    },
    observe: (event) => {
      if (event.kind === 'committed') commits++;
    },
  });
  const loop = new CommitLoop({
    engine,
    store: params.store,
    ports,
    settings: { partitions, checkpointFacts: params.checkpointFacts ?? 1_000_000 },
    node: { name: `bench-${process.pid}-${performance.now()}`, address: '' },
    onFatal: (error) => {
      throw error;
    },
  });
  const specs: JobSpec[] = [];
  for (let i = 0; i < params.tenants; i++) {
    const tenant = `tenant-${i}`;
    const body = JSON.stringify({ class: i % 3, ...params.definition });
    const change = { tenant, kind: 'job', name: 'noop', expectedVersion: 0, body, author: 'bench' };
    await params.store.putDefinition(change);
    specs.push((await loop.specs.newest(tenant, 'noop')) as JobSpec);
  }
  await loop.start();
  await until(() => loop.leases.held.size === partitions && allLive(loop));
  const total = { ...NO_RESOURCES, slots: params.slots ?? 50 };
  for (let i = 0; i < params.workers; i++) {
    const info = {
      name: `worker-${i}`,
      instance: 'a',
      zone: 'a',
      labels: {},
      executors: [],
      total,
    };
    loop.report({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] });
  }
  // Workers beat as real ones do, or they would be given up as silent.
  const beats = setInterval(() => {
    for (let i = 0; i < params.workers; i++) {
      loop.report({ kind: 'beat', worker: `worker-${i}`, foreignUse: NO_RESOURCES, progress: [] });
    }
  }, 5_000);
  let submitted = 0;
  return {
    loop,
    specs,
    done: () => done,
    commits: () => commits,
    submit: async (count) => {
      const commands: Command[] = [];
      for (let i = 0; i < count; i++) {
        const spec = specs[submitted++ % specs.length] as JobSpec;
        const partition = partitionOf(spec.tenant, spec.job, partitions);
        commands.push({ kind: 'submit', partition, spec, head: HEAD, input: INPUT });
      }
      for (const answer of await loop.executeAll(commands)) {
        if (answer.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(answer)}`);
      }
    },
    waitUntilDone: (count) =>
      new Promise((resolve) => {
        if (done >= count) resolve();
        else waiting = { count, resolve };
      }),
    setFinishing: (on) => {
      finishing = on;
      if (on) for (const effect of kept.splice(0)) finish(effect);
    },
    stop: async () => {
      clearInterval(beats);
      await loop.stop();
    },
  };
}

const HEAD = {};
const INPUT = new TextEncoder().encode(JSON.stringify({ to: 'somebody', text: 'x'.repeat(170) }));
const OUTPUT = new TextEncoder().encode('{"ok":true}');

function allLive(loop: CommitLoop): boolean {
  return [...loop.leases.held.values()].every((held) => held.phase === 'live');
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Producer and workers at once: keeps `inFlight` lives open, in batches, for a while. */
export async function measureSteady(
  rig: Rig,
  params: { warmMs: number; ms: number; batch: number; inFlight: number; tasksPerRun?: number },
): Promise<{ livesPerSecond: number; lives: number; livesPerCommit: number }> {
  const { tasksPerRun = 1 } = params;
  let stop = false;
  let sent = rig.done();
  const producer = (async () => {
    while (!stop) {
      if (sent - rig.done() > params.inFlight - params.batch) {
        await rig.waitUntilDone(sent - params.inFlight + params.batch);
        continue;
      }
      sent += params.batch;
      void rig.submit(params.batch / tasksPerRun);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, params.warmMs));
  const before = { done: rig.done(), commits: rig.commits(), at: performance.now() };
  await new Promise((resolve) => setTimeout(resolve, params.ms));
  const lives = rig.done() - before.done;
  const seconds = (performance.now() - before.at) / 1000;
  const commits = rig.commits() - before.commits;
  stop = true;
  await producer;
  await rig.waitUntilDone(sent);
  return {
    livesPerSecond: Math.round(lives / seconds),
    lives,
    livesPerCommit: Math.round(lives / Math.max(1, commits)),
  };
}
