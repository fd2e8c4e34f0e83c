import type { Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import type { Sizes } from './sizes.ts';
import { measureSteady } from './steady.ts';

/** Steady with an empty history, and again when many tasks have run and ended in the same storage. */
export async function measureHistory(session: Session, sizes: Sizes): Promise<Measured> {
  const empty = await measureSteady(session, sizes);
  session.producer.tell({ kind: 'steady', ...session.load });
  await session.handled(sizes.historyTasks);
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
