/** The smallest and the largest value that a number may have; both are allowed. */
export interface Range {
  readonly min: number;
  readonly max: number;
  /** Fractions are allowed; everything else is a whole number. */
  readonly fraction?: true;
}

const DAY_MS = 86_400_000;
/** 365 days: the longest time that a definition or a report may name. */
const YEAR_MS = 365 * DAY_MS;
/** Thirty days more than a year: a yearly window that is late by a month is still caught up. */
const AGE_MS = YEAR_MS + 30 * DAY_MS;
const AMOUNT = 1_000_000_000;

/**
 * Every number that a user or a worker may set, and its range. The schemas of the API, the builders
 * of the SDK, the flags of the command, the check of link frames and the door of the engine all read
 * this table, so a value that one of them accepts is never refused by the next. The engine imports
 * nothing and keeps its own few lines of it; a test compares them, and docs/api.md with this table.
 */
export const LIMITS = {
  priority: { min: 1, max: 10 },
  'retry.attemptsMax': { min: 1, max: 1_000 },
  'retry.fixedDelayMs': { min: 0, max: YEAR_MS },
  'timeouts.expectedMs': { min: 0, max: YEAR_MS },
  'timeouts.hardMs': { min: 0, max: YEAR_MS },
  'timeouts.progressMs': { min: 0, max: YEAR_MS },
  'timeouts.graceMs': { min: 0, max: YEAR_MS },
  'request.cpuMilli': { min: 0, max: AMOUNT },
  'request.memoryMb': { min: 0, max: AMOUNT },
  'request.gpu': { min: 0, max: 1_000_000 },
  'request.diskMb': { min: 0, max: AMOUNT },
  'request.slots': { min: 0, max: 1_000_000 },
  'command.memoryMb': { min: 1, max: AMOUNT },
  'http.timeoutMs': { min: 1, max: DAY_MS },
  'http.redirectsMax': { min: 0, max: 3 },
  'job.expectedMs': { min: 1, max: YEAR_MS },
  'limits.fanOutMax': { min: 1, max: 200_000 },
  'limits.readyPerSecond': { min: 1, max: 1_000_000 },
  'sleep.forMs': { min: 0, max: YEAR_MS },
  'approval.timeoutMs': { min: 0, max: YEAR_MS },
  'event.timeoutMs': { min: 0, max: YEAR_MS },
  'submission.delayMs': { min: 0, max: 10 * YEAR_MS },
  'schedule.everyMs': { min: 1_000, max: AGE_MS },
  'schedule.jitterMs': { min: 0, max: 300_000 },
  'schedule.graceMs': { min: 0, max: DAY_MS },
  'schedule.runsMax': { min: 1, max: 1_000_000_000 },
  'catchUp.windowsMax': { min: 0, max: 1_000 },
  'catchUp.ageMsMax': { min: 0, max: AGE_MS },
  'backfill.perMinute': { min: 1, max: 60_000 },
  'expect.everyMs': { min: 1_000, max: AGE_MS },
  'expect.bufferMs': { min: 0, max: 31 * DAY_MS },
  'hook.toleranceMs': { min: 1_000, max: DAY_MS },
  'tenant.weight': { min: 0.001, max: 1_000_000, fraction: true },
  'tenant.runningMax': { min: 0, max: 1_000_000_000 },
  'tenant.jitterMsMin': { min: 0, max: 300_000 },
  'worker.slots': { min: 1, max: 100_000 },
  'worker.cpuMilli': { min: 0, max: 500_000_000 },
  'worker.memoryMb': { min: 0, max: 500_000_000 },
  'worker.gpu': { min: 0, max: 100_000 },
  'worker.diskMb': { min: 0, max: 500_000_000 },
  'worker.graceMs': { min: 0, max: YEAR_MS },
  'retries.attemptsMax': { min: 1, max: 1_000 },
  'retries.delayMs': { min: 0, max: DAY_MS },
  'retries.delayMaxMs': { min: 0, max: DAY_MS },
  'report.extendMs': { min: 0, max: YEAR_MS },
  'report.retryAfterMs': { min: 0, max: YEAR_MS },
} as const satisfies Readonly<Record<string, Range>>;

export type LimitName = keyof typeof LIMITS;

export function isWithin(name: LimitName, value: unknown): value is number {
  const { min, max, fraction }: Range = LIMITS[name];
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return fraction === true || Number.isInteger(value);
}

/** Ends a sentence like "concurrency is …". */
export function rangeText(name: LimitName): string {
  const { min, max, fraction }: Range = LIMITS[name];
  return `a ${fraction === true ? '' : 'whole '}number from ${min} to ${max}`;
}

/** Throws with the field as the caller wrote it, the value, and what is allowed. */
export function requireWithin(name: LimitName, field: string, value: unknown): void {
  if (isWithin(name, value)) return;
  throw new RangeError(`${field} is ${rangeText(name)}, not ${String(value)}`);
}
