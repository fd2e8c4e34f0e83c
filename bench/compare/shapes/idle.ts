import { pass } from '../clock.ts';
import { costBetween, type Measured } from '../measurement.ts';
import { totalCpuSeconds } from '../proc/usage.ts';
import type { Session } from '../session.ts';
import type { Sizes } from './sizes.ts';

const PERCENT = 100;

/** What it costs while nobody uses it. Transactions are those of its own database. */
export async function measureIdle(session: Session, sizes: Sizes): Promise<Measured> {
  await session.ensureWorking();
  await session.produce({ kind: 'load', n: session.load.batch, batch: session.load.batch });
  await session.handled(session.submitted);
  await pass(sizes.settleMs);
  const queriesBefore = await session.transactions();
  const before = await session.now();
  await pass(sizes.idleMs);
  const after = await session.now();
  const queries = (await session.transactions()) - queriesBefore;
  const cost = costBetween({ session, before, after, tasks: 0 });
  const { seconds, cpuSeconds } = cost.usage;
  const node = cpuSeconds['node'];
  return {
    figures: {
      cpuPercent: (totalCpuSeconds(cost.usage) / seconds) * PERCENT,
      ...(node !== undefined && { nodeCpuPercent: (node / seconds) * PERCENT }),
      ...(Number.isFinite(queries) && { queriesPerSecond: queries / seconds }),
    },
    cost,
  };
}
