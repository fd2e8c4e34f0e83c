import { durationMs, formatDuration } from './duration.ts';

/** The smallest and the largest value that a number may have; both are allowed. */
export interface Range {
  readonly min: number;
  readonly max: number;
  /** Fractions are allowed; everything else is a whole number. */
  readonly fraction?: true;
  /** A time: milliseconds here, and written as milliseconds or as text like `1h30m`. */
  readonly duration?: true;
  /** A point in time: milliseconds since 1970 here, and written as text in ISO 8601. */
  readonly instant?: true;
}

const DAY_MS = 86_400_000;
/** 365 days: the longest time that a definition or a report may name. */
const YEAR_MS = 365 * DAY_MS;
/** Thirty days more than a year: a yearly window that is late by a month is still caught up. */
const AGE_MS = YEAR_MS + 30 * DAY_MS;
const AMOUNT = 1_000_000_000;

const time = <const Min extends number, const Max extends number>(min: Min, max: Max) =>
  ({ min, max, duration: true }) as const;

/**
 * Every number that a user or a worker may set, and its range. The schemas of the API, the builders
 * of the SDK, the flags of the command, the check of link frames and the door of the engine all read
 * this table, so a value that one of them accepts is never refused by the next. The engine imports
 * nothing and keeps its own few lines of it; a test compares them, and docs/api.md with this table.
 */
export const LIMITS = {
  instant: { min: 0, max: 7_258_118_399_999, instant: true },
  priority: { min: 1, max: 10 },
  'retry.maxAttempts': { min: 1, max: 1_000 },
  'backoff.delay': time(1, YEAR_MS),
  'backoff.maxDelay': time(1, YEAR_MS),
  'backoff.factor': { min: 1, max: 100, fraction: true },
  'backoff.jitter': { min: 0, max: 1, fraction: true },
  'task.timeout': time(1, YEAR_MS),
  'task.progressTimeout': time(1, YEAR_MS),
  'task.gracePeriod': time(0, YEAR_MS),
  'task.expectedDuration': time(0, YEAR_MS),
  'resources.cpuMilli': { min: 0, max: AMOUNT },
  'resources.memoryMb': { min: 0, max: AMOUNT },
  'resources.gpu': { min: 0, max: 1_000_000 },
  'resources.diskMb': { min: 0, max: AMOUNT },
  'resources.slots': { min: 0, max: 1_000_000 },
  'command.memoryMb': { min: 1, max: AMOUNT },
  'http.timeout': time(1, DAY_MS),
  'http.maxRedirects': { min: 0, max: 3 },
  'job.expectedDuration': time(1, YEAR_MS),
  'limits.maxFanOut': { min: 1, max: 200_000 },
  'limits.readyPerSecond': { min: 1, max: 1_000_000 },
  'sleep.for': time(0, YEAR_MS),
  'approval.timeout': time(1, YEAR_MS),
  'event.timeout': time(1, YEAR_MS),
  'submission.delay': time(0, 10 * YEAR_MS),
  'run.wait': time(0, 60_000),
  'schedule.every': time(1_000, AGE_MS),
  'schedule.jitter': time(0, 300_000),
  'schedule.startingDeadline': time(0, DAY_MS),
  'schedule.maxRuns': { min: 1, max: 1_000_000_000 },
  'catchUp.maxWindows': { min: 0, max: 1_000 },
  'catchUp.maxAge': time(0, AGE_MS),
  'backfill.perMinute': { min: 1, max: 60_000 },
  'expect.every': time(1_000, AGE_MS),
  'expect.buffer': time(0, 31 * DAY_MS),
  'hook.tolerance': time(1_000, DAY_MS),
  'tenant.weight': { min: 0.001, max: 1_000_000, fraction: true },
  'tenant.maxRunning': { min: 0, max: 1_000_000_000 },
  'tenant.minJitter': time(0, 300_000),
  'tenant.maxJobs': { min: 0, max: 1_000_000 },
  'tenant.maxSchedules': { min: 0, max: 1_000_000 },
  'tenant.maxTriggers': { min: 0, max: 1_000_000 },
  'worker.slots': { min: 1, max: 100_000 },
  'worker.cpuMilli': { min: 0, max: 500_000_000 },
  'worker.memoryMb': { min: 0, max: 500_000_000 },
  'worker.gpu': { min: 0, max: 100_000 },
  'worker.diskMb': { min: 0, max: 500_000_000 },
  'worker.gracePeriod': time(0, YEAR_MS),
  'retries.maxAttempts': { min: 1, max: 1_000 },
  'retries.delay': time(1, DAY_MS),
  'retries.maxDelay': time(1, DAY_MS),
  'report.extend': time(0, YEAR_MS),
  'report.retryAfter': time(0, YEAR_MS),
} as const satisfies Readonly<Record<string, Range>>;

/**
 * How many items or characters a value may have; both ends are allowed. The schemas read this table, and
 * a test compares docs/api.md with it.
 */
export const SIZES = {
  'idempotencyKey.chars': { min: 1, max: 256 },
  'labels.count': { min: 0, max: 100 },
  'labels.nameChars': { min: 1, max: 128 },
  'labels.valueChars': { min: 0, max: 256 },
  'hook.secretBytes': { min: 16, max: 256 },
} as const satisfies Readonly<Record<string, { readonly min: number; readonly max: number }>>;

export type LimitName = keyof typeof LIMITS;
/** Those of them that are times. */
export type DurationName = {
  [N in LimitName]: (typeof LIMITS)[N] extends { readonly duration: true } ? N : never;
}[LimitName];

export function isWithin(name: LimitName, value: unknown): value is number {
  const { min, max, fraction }: Range = LIMITS[name];
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return fraction === true || Number.isInteger(value);
}

/** Ends a sentence like "concurrency must be …". */
export function rangeText(name: LimitName): string {
  const { min, max, fraction, duration, instant }: Range = LIMITS[name];
  if (instant === true) {
    const [first, last] = [min, max].map((ms) => new Date(ms).toISOString().slice(0, 10));
    return `a date and time in ISO 8601 with a UTC offset, or a date, from ${first} to ${last}`;
  }
  if (duration === true) {
    return `a duration from ${formatDuration(min)} to ${formatDuration(max)}, as text such as '90s' or in milliseconds`;
  }
  return `a ${fraction === true ? '' : 'whole '}number from ${min} to ${max}`;
}

/** Throws with the field as the caller wrote it, the value, and what is allowed. */
export function requireWithin(name: LimitName, field: string, value: unknown): void {
  if (isWithin(name, value)) return;
  throw new RangeError(`${field} must be ${rangeText(name)}, not ${String(value)}`);
}

/** The milliseconds of a duration within its range; null for everything else. */
export function durationWithin(name: DurationName, value: unknown): number | null {
  const ms = durationMs(value);
  return ms !== null && isWithin(name, ms) ? ms : null;
}

/** Like `requireWithin`, and gives the milliseconds. */
export function requireDuration(name: DurationName, field: string, value: unknown): number {
  const ms = durationWithin(name, value);
  if (ms !== null) return ms;
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new RangeError(`${field} must be ${rangeText(name)}, not ${shown}`);
}
