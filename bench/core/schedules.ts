import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  Book,
  type Command,
  DEFAULT_SCHEDULE,
  Engine,
  jobSpec,
  partitionOf,
  seededRandom,
  type When,
} from '@signalbox/engine';
import { CommitLoop, realPorts } from '@signalbox/node';
import { zoneOf } from '@signalbox/node/zones';
import { collectGarbage, percentile, rssMb } from './figures.ts';
import { type OpenStore, openPostgres, openSqlite } from './stores.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const MIDNIGHT = 1_798_761_600_000;
const SCHEDULES = 200_000;
const PARTITIONS = 15;
const BURST = 20_000;
const JOBS = Array.from({ length: 1_000 }, (_, i) => `job-${i}`);

export async function measureSchedules(): Promise<Record<string, number>> {
  const ticks = measureTicks();
  const sqlite = await measureBurst(await openSqlite());
  const postgres = await measureBurst(await openPostgres());
  return {
    ...ticks,
    scheduleBurstSqliteSeconds: sqlite.seconds,
    scheduleBurstPostgresSeconds: postgres.seconds,
    scheduleBurstBlockMsMax: sqlite.blockMsMax,
    scheduleLatenessMsP99Idle: await measureLateness(await openSqlite()),
  };
}

/** Schedules of all kinds of days and places, each with a job of its own. */
function cronOf(i: number): When {
  const expr = `${i % 60} ${Math.floor(i / 60) % 24} * * *`;
  return { kind: 'cron', expr, zone: ZONES[i % ZONES.length] as string };
}

interface Scheduled {
  readonly engine: Engine;
  readonly random: ReturnType<typeof seededRandom>;
}

function fill(count: number, whenOf: (i: number) => When): Scheduled {
  const engine = new Engine({}, zoneOf);
  const random = seededRandom(1);
  for (let partition = 0; partition < PARTITIONS; partition++) {
    engine.apply({ kind: 'takePartition', book: new Book(partition, 1) }, MIDNIGHT, random);
  }
  for (let i = 0; i < count; i++) {
    const job = `job-${i}`;
    const partition = partitionOf('t', job, PARTITIONS);
    const spec = { ...DEFAULT_SCHEDULE, job, when: whenOf(i) };
    const of = { partition, tenant: 't', schedule: `s${i}`, version: 1, savedAt: MIDNIGHT };
    engine.apply({ kind: 'setSchedule', ...of, spec }, MIDNIGHT, random);
    // As the loop does with every commit.
    if (i % 1_000 === 0) engine.take(1);
  }
  engine.take(1);
  return { engine, random };
}

function tell({ engine, random }: Scheduled, partition: number, job: string): void {
  const spec = jobSpec({ tenant: 't', job, version: 1, definition: {} });
  const head = { kind: 'ready', spec } as const;
  engine.apply({ kind: 'setJob', partition, tenant: 't', job, head }, MIDNIGHT, random);
}

/** One step of the loop: what is due by now is decided, as far as one step goes. */
function step({ engine, random }: Scheduled, now: number): { ms: number; more: boolean } {
  const used = process.threadCpuUsage();
  engine.apply({ kind: 'tick' }, now, random);
  const more = engine.schedule(now, random);
  // Processor time of this thread: whoever else is on the machine does not count.
  const { user, system } = process.threadCpuUsage(used);
  const ms = (user + system) / 1_000;
  const wanted = [...engine.jobsWanted()];
  for (const { partition, job } of wanted) tell({ engine, random }, partition, job);
  return { ms, more: more || wanted.length > 0 };
}

/** Ends every run and lets go of what was decided; not part of what is measured. */
function settle({ engine, random }: Scheduled, now: number): void {
  for (const book of engine.core.books.values()) {
    for (const seq of [...book.runs.keys()]) {
      const of = { partition: book.partition, seq, by: '', reason: '' };
      engine.apply({ kind: 'cancel', ...of }, now, random);
    }
  }
  engine.take(1);
}

function measureTicks(): Record<string, number> {
  const scheduled = fill(SCHEDULES, cronOf);
  // As after a day in which every one of them has fired.
  for (const { partition, schedules } of scheduled.engine.core.books.values()) {
    for (const { spec } of schedules.values()) tell(scheduled, partition, spec.job);
  }
  const took: number[] = [];
  for (let second = 1; second <= 600; second++) {
    const now = MIDNIGHT + second * 1_000;
    for (let more = true; more; ) {
      const done = step(scheduled, now);
      took.push(done.ms);
      more = done.more;
    }
    settle(scheduled, now);
  }
  collectGarbage();
  const rss = rssMb();
  const burst = fill(BURST, () => ({ kind: 'cron', expr: '0 0 * * *', zone: 'UTC' }));
  const burstTook: number[] = [];
  const now = MIDNIGHT + 86_400_000;
  for (let more = true; more; ) {
    const done = step(burst, now);
    burstTook.push(done.ms);
    more = done.more;
  }
  took.sort((a, b) => a - b);
  return {
    scheduleTickMsMax: percentile(took, 1),
    scheduleTickMsP99: percentile(took, 0.99),
    scheduleBurstTickMsMax: percentile(
      burstTook.sort((a, b) => a - b),
      1,
    ),
    scheduleRssMb200k: rss,
  };
}

interface LoopRig {
  readonly loop: CommitLoop;
  stop(): Promise<void>;
}

/** A loop on a real store, with the jobs that schedules name; tells every window that became durable. */
async function startLoop(
  { store, close }: OpenStore,
  jobs: readonly string[],
  fired: (window: number) => void,
): Promise<LoopRig> {
  for (const name of jobs) {
    const change = { tenant: 't', kind: 'job', name, expectedVersion: 0, author: 'bench' };
    await store.putDefinition({ ...change, body: '{}' });
  }
  const loop = new CommitLoop({
    engine: new Engine({}, zoneOf),
    store,
    ports: realPorts({
      release: () => {},
      published: (_partition, facts) => {
        for (const fact of facts) if (fact.kind === 'windowFired') fired(fact.window);
      },
    }),
    settings: { partitions: PARTITIONS },
    node: { name: `bench-${process.pid}-${performance.now()}`, address: '' },
    onFatal: (error) => {
      throw error;
    },
  });
  await loop.start();
  while (!Array.from({ length: PARTITIONS }, (_, i) => i).every((p) => loop.owns(p))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await loop.schedules.refresh();
  const stop = async (): Promise<void> => {
    await loop.stop();
    await close();
  };
  return { loop, stop };
}

async function save(loop: CommitLoop, count: number, whenOf: (i: number) => When): Promise<void> {
  const savedAt = loop.time.now();
  const sets = Array.from({ length: count }, (_, i): Command => {
    const job = JOBS[i % JOBS.length] as string;
    const partition = partitionOf('t', job, PARTITIONS);
    const spec = { ...DEFAULT_SCHEDULE, job, when: whenOf(i) };
    const of = { partition, tenant: 't', schedule: `s${i}`, version: 1, savedAt };
    return { kind: 'setSchedule', ...of, spec };
  });
  const answers = await loop.executeAll(sets);
  if (answers.some(({ kind }) => kind !== 'done')) throw new Error('a schedule was refused');
}

/** From the instant that many schedules share until the last of their runs is durable. */
async function measureBurst(open: OpenStore): Promise<{ seconds: number; blockMsMax: number }> {
  let durable = 0;
  let reached: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { loop, stop } = await startLoop(open, JOBS, () => {
    if (++durable === BURST) reached();
  });
  const at = loop.time.now() + 15_000;
  await save(loop, BURST, () => ({ kind: 'instant', at }));
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  if (loop.time.now() > at) throw new Error('saving took longer than the wait for the burst');
  await all;
  const tookMs = loop.time.now() - at;
  delays.disable();
  await stop();
  return { seconds: tookMs / 1_000, blockMsMax: Math.round(delays.max / 1_000_000) };
}

/** How long after its instant a window is durable on a node that has little else to do, p99 in ms. */
async function measureLateness(open: OpenStore): Promise<number> {
  const late: number[] = [];
  let reached: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { loop, stop } = await startLoop(open, JOBS, (window) => {
    late.push(loop.time.now() - window);
    if (late.length === 1_500) reached();
  });
  await save(loop, 100, (i) => ({ kind: 'interval', everyMs: 1_000, anchorAt: i * 10 }));
  await all;
  await stop();
  // The first windows wait for their jobs to be read.
  return percentile(
    late.slice(500).sort((a, b) => a - b),
    0.99,
  );
}
