import { costBetween, type Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import { quantile } from '../statistics.ts';
import type { Sizes } from './sizes.ts';

type LatencySizes = Pick<Sizes, 'latencyTasks' | 'latencyGapMs' | 'latencyWarm'>;

/** On an idle system: from the call of submit to the first line of the handler, and to the answer. */
export async function measureLatency(session: Session, sizes: LatencySizes): Promise<Measured> {
  await session.ensureWorking();
  const before = await session.now();
  const { acksMs = [] } = await session.produce({
    kind: 'latency',
    n: sizes.latencyTasks,
    gapMs: sizes.latencyGapMs,
    warm: sizes.latencyWarm,
  });
  await session.handled(session.submitted);
  const after = await session.now();
  session.worker.tell({ kind: 'delays' });
  const { delaysMs } = await session.worker.next('delays');
  if (delaysMs.length !== sizes.latencyTasks) {
    throw new Error(`${delaysMs.length} delays of ${sizes.latencyTasks} tasks`);
  }
  return {
    figures: {
      p50Ms: quantile(delaysMs, 0.5),
      p99Ms: quantile(delaysMs, 0.99),
      ackP50Ms: quantile(acksMs, 0.5),
      ackP99Ms: quantile(acksMs, 0.99),
    },
    cost: costBetween({ session, before, after, tasks: 0 }),
  };
}
