import { nowMs, pass } from '../clock.ts';
import { costBetween, type Measured } from '../measurement.ts';
import type { Session } from '../session.ts';

const LOOK_MS = 2;

/** From a standing start to the durable end of `drained` of `waiting` tasks that were there before. */
export async function measureDrain(
  session: Session,
  { waiting, drained = waiting }: { waiting: number; drained?: number },
): Promise<Measured> {
  const { batch, inflight } = session.load;
  await session.produce({ kind: 'load', n: waiting, batch, inflight });
  await session.provided.analyze?.();
  await session.checkpoint();
  const before = await session.now();
  const startedAtMs = nowMs();
  await session.ensureWorking();
  await session.handled(drained);
  if (drained === waiting) await untilEmpty(session);
  const seconds = (nowMs() - startedAtMs) / 1_000;
  const after = await session.now();
  const tasks = after.handled.n;
  return {
    figures: { rate: tasks / seconds },
    cost: costBetween({ session, before, after, tasks }),
  };
}

async function untilEmpty(session: Session): Promise<void> {
  while ((await session.left()) > 0) await pass(LOOK_MS);
}
