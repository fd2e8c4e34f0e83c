import type { Duration } from '@signalbox/protocol';
import { requireDurationOption, requireOption } from '../check-numbers.ts';
import type { MembersOf } from '../known-members.ts';

/** How a failed request is retried; omitted options have their defaults. */
export interface RetryOptions {
  readonly maxAttempts?: number;
  /** Delay before the first retry; it doubles with each further retry. */
  readonly delay?: Duration;
  readonly maxDelay?: Duration;
}

export interface RetrySettings {
  readonly attemptsMax: number;
  readonly delayMs: number;
  readonly delayMaxMs: number;
}

export const RETRIES_MEMBERS = {
  maxAttempts: true,
  delay: true,
  maxDelay: true,
} as const satisfies MembersOf<RetryOptions>;

export const DEFAULT_RETRIES: RetrySettings = {
  attemptsMax: 6,
  delayMs: 100,
  delayMaxMs: 5_000,
};

export function retrySettings(options: RetryOptions = {}): RetrySettings {
  const { maxAttempts, delay, maxDelay } = options;
  requireOption('retries.maxAttempts', 'retries.maxAttempts', maxAttempts);
  const delayMs = requireDurationOption('retries.delay', 'retries.delay', delay);
  const delayMaxMs = requireDurationOption('retries.maxDelay', 'retries.maxDelay', maxDelay);
  return {
    attemptsMax: maxAttempts ?? DEFAULT_RETRIES.attemptsMax,
    delayMs: delayMs ?? DEFAULT_RETRIES.delayMs,
    delayMaxMs: delayMaxMs ?? DEFAULT_RETRIES.delayMaxMs,
  };
}

/** Nobody waits longer than this for a `Retry-After`: the caller had better know. */
const RETRY_AFTER_MAX_MS = 60_000;

/** Answers before anything was done: whatever the request was, it may be repeated. */
const NOT_DONE: ReadonlySet<number> = new Set([429]);
/** Answers after which it is open whether it was done: only what may happen twice is repeated. */
const MAYBE_DONE: ReadonlySet<number> = new Set([408, 502, 503, 504]);

export function mayRepeat(status: number, repeatable: boolean): boolean {
  return NOT_DONE.has(status) || (repeatable && MAYBE_DONE.has(status));
}

/** After such an answer, or none, the request may have been done all the same. */
export function mayBeDone({ status, isUnsent }: { status: number; isUnsent: boolean }): boolean {
  return status === 0 ? !isUnsent : MAYBE_DONE.has(status);
}

/** The pause before the next try; null where it would be too long. */
export function pauseBefore(params: {
  settings: RetrySettings;
  failures: number;
  retryAfterMs: number | undefined;
}): number | null {
  const { settings, failures, retryAfterMs } = params;
  if (retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_MAX_MS) return null;
  const grown = Math.min(settings.delayMaxMs, settings.delayMs * 2 ** (failures - 1));
  // Half of it by chance: clients that failed together must not come back together.
  const spread = grown / 2 + (Math.random() * grown) / 2;
  return Math.max(spread, retryAfterMs ?? 0);
}

/** Seconds, or a date. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
