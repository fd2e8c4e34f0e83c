import { pass } from '../clock.ts';
import { costBetween, type Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import type { Load } from '../systems/system.ts';
import { rateBetween } from './rate-between.ts';
import type { Sizes } from './sizes.ts';

/** Producer and worker at once: tasks handled per second while a bounded number is on its way. */
export async function measureSteady(
  session: Session,
  { warmMs, windowMs }: Pick<Sizes, 'warmMs' | 'windowMs'>,
  load: Load = session.load,
): Promise<Measured> {
  await session.ensureWorking();
  session.producer.tell({ kind: 'steady', ...load });
  await pass(warmMs);
  const before = await session.now();
  await pass(windowMs);
  const after = await session.now();
  session.producer.tell({ kind: 'halt' });
  await session.produced();
  await session.handled(session.submitted);
  const rate = rateBetween(before, after);
  const tasks = (rate * (after.usage.atMs - before.usage.atMs)) / 1_000;
  return { figures: { rate }, cost: costBetween({ session, before, after, tasks }) };
}
