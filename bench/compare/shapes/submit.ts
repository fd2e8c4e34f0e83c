import { costBetween, type Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import { quantile } from '../statistics.ts';
import type { Sizes } from './sizes.ts';

const WARM_TASKS = 2_000;
const WARM_SINGLE_MS = 300;
const IN_FLIGHT = [1, 16, 64, 256] as const;
const BATCH = 1_000;
const BATCHES_IN_FLIGHT = 2;

/** Submitting alone, nobody works: one by one at several widths, then batches of a thousand. */
export async function measureSubmit(session: Session, { submitMs }: Sizes): Promise<Measured> {
  await session.produce({ kind: 'load', n: WARM_TASKS, batch: BATCH });
  await session.produce({ kind: 'single', inflight: 16, ms: WARM_SINGLE_MS });
  const figures: Record<string, number> = {};
  const before = await session.now();
  let tasks = 0;
  for (const inflight of IN_FLIGHT) {
    const {
      n,
      ms,
      acksMs = [],
    } = await session.produce({ kind: 'single', inflight, ms: submitMs });
    figures[`rate${inflight}`] = perSecond(n, ms);
    figures[`ackP50Ms${inflight}`] = quantile(acksMs, 0.5);
    figures[`ackP99Ms${inflight}`] = quantile(acksMs, 0.99);
    tasks += n;
  }
  const after = await session.now();
  const { n, ms } = await session.produce({
    kind: 'batch',
    size: BATCH,
    inflight: BATCHES_IN_FLIGHT,
    ms: submitMs,
  });
  return {
    figures: { rateBatch: perSecond(n, ms), ...figures },
    cost: costBetween({ session, before, after, tasks }),
  };
}

function perSecond(n: number, ms: number): number {
  return n / (ms / 1_000);
}
