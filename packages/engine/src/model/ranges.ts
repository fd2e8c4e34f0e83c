/** The smallest and the largest value that a number may have; both are allowed. */
export interface Range {
  readonly min: number;
  readonly max: number;
  /** Fractions are allowed; everything else is a whole number. */
  readonly fraction?: true;
}

const YEAR_MS = 31_536_000_000;

/**
 * Numbers that come in with commands and reach facts, timers or shares. The table of limits in the
 * protocol package has all of them under the same names; a test compares the two.
 */
export const RANGES = {
  'report.extend': { min: 0, max: YEAR_MS },
  'report.retryAfter': { min: 0, max: YEAR_MS },
  'submission.delay': { min: 0, max: 10 * YEAR_MS },
  'tenant.weight': { min: 0.001, max: 1_000_000, fraction: true },
  'tenant.maxRunning': { min: 0, max: 1_000_000_000 },
  'limits.maxFanOut': { min: 1, max: 200_000 },
  'resources.cpuMilli': { min: 0, max: 1_000_000_000 },
} as const satisfies Readonly<Record<string, Range>>;

export type RangeName = keyof typeof RANGES;

/** The last instant that a date can be; nothing is due behind it. */
export const INSTANT_MAX = 8_640_000_000_000_000;
/** A deadline or a due time lies at most ten years ahead. */
export const AHEAD_MS_MAX = RANGES['submission.delay'].max;

export function isWithin(name: RangeName, value: number): boolean {
  const { min, max, fraction }: Range = RANGES[name];
  return value >= min && value <= max && (fraction === true || Number.isInteger(value));
}

export function isInstant(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= INSTANT_MAX;
}
