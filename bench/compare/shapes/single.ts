import type { Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import type { Sizes } from './sizes.ts';
import { measureSteady } from './steady.ts';

const MANY_IN_FLIGHT = 256;

/** As steady, one task per submission: 16 of them unanswered at any time. */
export function measureSingle(
  session: Session,
  sizes: Pick<Sizes, 'warmMs' | 'windowMs'>,
): Promise<Measured> {
  return measureSteady(session, sizes);
}

/** The same, then with 256: what a system gains when it may send together what waits together. */
export async function measureSingleAndMany(session: Session, sizes: Sizes): Promise<Measured> {
  const few = await measureSingle(session, sizes);
  if (session.system.isPeer) return few;
  const many = await measureSteady(session, sizes, { ...session.load, inflight: MANY_IN_FLIGHT });
  const rate256 = many.figures['rate'] as number;
  return { ...few, figures: { ...few.figures, rate256 } };
}
