import type { Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import type { Sizes } from './sizes.ts';
import { measureSteady } from './steady.ts';

/** Compilers have seen enough by then: a cold start would flatter whatever is measured after it. */
const WARM_TIMES = 3;

/** Steady with next to no history, and again when many tasks have run and ended in the same storage. */
export async function measureHistory(
  session: Session,
  sizes: Sizes,
  ended: number,
): Promise<Measured> {
  const empty = await measureSteady(session, { ...sizes, warmMs: sizes.warmMs * WARM_TIMES });
  session.producer.tell({ kind: 'steady', ...session.load });
  await session.handled(ended);
  session.producer.tell({ kind: 'halt' });
  await session.produced();
  await session.handled(session.submitted);
  await session.provided.analyze?.();
  await session.checkpoint();
  const full = await measureSteady(session, sizes);
  const rateEmpty = empty.figures['rate'] as number;
  const rate = full.figures['rate'] as number;
  const figures = { rate, rateEmpty, ratioToEmpty: rate / rateEmpty, ended: session.submitted };
  return { figures, cost: full.cost };
}
