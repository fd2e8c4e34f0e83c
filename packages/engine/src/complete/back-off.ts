import type { Random } from '../model/random.ts';
import type { RetryPolicy } from '../model/spec.ts';

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
  const band = BACK_OFF_BANDS[Math.min(failures, BACK_OFF_BANDS.length) - 1];
  if (band === undefined) return 0;
  return Math.round(band.delayMs + (random.next() * 2 - 1) * band.spreadMs);
}
