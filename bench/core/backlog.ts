import { collectGarbage, rssMb } from './figures.ts';
import { type Rig, startRig } from './loop-lives.ts';
import { type OpenStore, openPostgres, openSqlite } from './stores.ts';

const DRAIN_MS = 10_000;

/** What waiting work costs in memory, and whether dispatch is slower in front of it. */
export async function measureBacklog(params: {
  waiting: number;
  on: 'sqlite' | 'postgres';
}): Promise<Record<string, number>> {
  const open = params.on === 'sqlite' ? openSqlite : openPostgres;
  const short = await drainRate(open, 400_000);
  const long = await drainRate(open, params.waiting);
  const name = `${params.waiting / 1_000_000}m`;
  return {
    [`rssMb${name}Waiting`]: long.rssMb,
    [`drainPerSecond${name}Waiting`]: long.perSecond,
    [`drainPerSecondShortBacklog${name}`]: short.perSecond,
    [`drainRatio${name}`]: Math.round((long.perSecond / short.perSecond) * 100) / 100,
  };
}

async function drainRate(
  open: () => Promise<OpenStore>,
  waiting: number,
): Promise<{ rssMb: number; perSecond: number }> {
  const { store, close } = await open();
  try {
    const rig = await startRig({ store, workers: 100, tenants: 200, slots: 40 });
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
