import { assertNever } from '../model/assert.ts';
import type { Random } from '../model/random.ts';
import type { BackOff, RetryPolicy } from '../model/spec.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** FLT-04, FLT-05: the delay before the next try, by the number of charged failures; ± the spread. */
export const BACK_OFF_BANDS: readonly { readonly delayMs: number; readonly spreadMs: number }[] = [
  { delayMs: 5 * SECOND, spreadMs: 2 * SECOND },
  { delayMs: 30 * SECOND, spreadMs: 10 * SECOND },
  { delayMs: 5 * MINUTE, spreadMs: MINUTE },
  { delayMs: 30 * MINUTE, spreadMs: 6 * MINUTE },
  { delayMs: 120 * MINUTE, spreadMs: 24 * MINUTE },
];

export function backOffMs(policy: RetryPolicy, failures: number, random: Random): number {
  if (policy.fixedDelayMs !== null) return policy.fixedDelayMs;
  if (policy.backOff !== null) return shapedMs(policy.backOff, failures, random);
  const band = BACK_OFF_BANDS[Math.min(failures, BACK_OFF_BANDS.length) - 1];
  if (band === undefined) return 0;
  return Math.round(band.delayMs + (random.next() * 2 - 1) * band.spreadMs);
}

function shapedMs(backOff: BackOff, failures: number, random: Random): number {
  switch (backOff.kind) {
    case 'list':
      return backOff.delaysMs[Math.min(failures, backOff.delaysMs.length) - 1] ?? 0;
    case 'exponential': {
      const { delayMs, factor, maxDelayMs, jitter } = backOff;
      // A large power is Infinity and the longest delay holds; of no delay it would be NaN.
      const grown = delayMs === 0 ? 0 : delayMs * factor ** Math.max(0, failures - 1);
      const whole = Math.min(grown, maxDelayMs);
      // Jitter may take all of a delay, and a retry without one would be a loop.
      return Math.max(Math.round(whole * (1 - jitter * random.next())), Math.min(1, whole));
    }
    default:
      return assertNever(backOff);
  }
}
