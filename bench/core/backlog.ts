import { DEFAULT_SETTINGS } from '@signalbox/engine';
import { collectGarbage, rssMb } from './figures.ts';
import { measureSteady, type Rig, startRig } from './loop-lives.ts';
import { type OpenStore, openPostgres, openSqlite } from './stores.ts';

/** Long enough that what was in memory at the start has drained, and the store is read. */
const DRAIN_MS = 20_000;
/** Waiting runs of three classes in equal parts that are all kept in memory, with some room to spare. */
const IN_MEMORY = DEFAULT_SETTINGS.classWindow * 3 - 10_000;
const FLEET = { workers: 100, tenants: 200, slots: 40 };

/**
 * What waiting work costs in memory, and whether dispatch is slower in front of it. With an empty
 * backlog only what is being submitted can be dispatched, so that rate is measured with a producer;
 * a backlog that fits in memory is the stricter comparison, without any writing of runs.
 */
export async function measureBacklog(params: {
  waiting: number;
  on: 'sqlite' | 'postgres';
}): Promise<Record<string, number>> {
  const open = params.on === 'sqlite' ? openSqlite : openPostgres;
  const empty = await emptyRate(open);
  const short = await drainRate(open, IN_MEMORY);
  const long = await drainRate(open, params.waiting);
  const name = `${params.waiting / 1_000_000}m`;
  return {
    [`rssMb${name}Waiting`]: long.rssMb,
    [`drainPerSecond${name}Waiting`]: long.perSecond,
    [`dispatchPerSecondEmptyBacklog${name}`]: empty,
    [`drainPerSecondInMemory${name}`]: short.perSecond,
    [`dispatchRatio${name}`]: ratio(long.perSecond, empty),
    [`drainRatioToInMemory${name}`]: ratio(long.perSecond, short.perSecond),
  };
}

function ratio(a: number, b: number): number {
  return Math.round((a / b) * 100) / 100;
}

async function emptyRate(open: () => Promise<OpenStore>): Promise<number> {
  const { store, close } = await open();
  try {
    const rig = await startRig({ store, ...FLEET });
    const load = { warmMs: 2_000, ms: 8_000, batch: 500, inFlight: 4_000 };
    const { livesPerSecond } = await measureSteady(rig, load);
    rig.loop.halt();
    return livesPerSecond;
  } finally {
    await close();
  }
}

async function drainRate(
  open: () => Promise<OpenStore>,
  waiting: number,
): Promise<{ rssMb: number; perSecond: number }> {
  const { store, close } = await open();
  try {
    const rig = await startRig({ store, ...FLEET });
    await rig.submit(10_000);
    await rig.waitUntilDone(10_000);
    collectGarbage();
    const idle = rssMb();
    rig.setFinishing(false);
    await fill(rig, waiting);
    collectGarbage();
    const waitingRss = rssMb() - idle;
    const before = { done: rig.done(), at: performance.now() };
    rig.setFinishing(true);
    const share = Math.min(waiting * 0.9, 3_000_000);
    await Promise.race([rig.waitUntilDone(before.done + share), pause(DRAIN_MS)]);
    const perSecond = (rig.done() - before.done) / ((performance.now() - before.at) / 1_000);
    rig.loop.halt();
    return { rssMb: waitingRss, perSecond: Math.round(perSecond) };
  } finally {
    await close();
  }
}

async function fill(rig: Rig, waiting: number): Promise<void> {
  const batch = 2_000;
  for (let sent = 0; sent < waiting; sent += batch * 2) {
    await Promise.all([rig.submit(batch), rig.submit(batch)]);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
