import type { BackOff, TaskDefinition as EngineTask } from '@signalbox/engine';
import type { Backoff, Duration, RetryPolicy } from '@signalbox/protocol';
import { invalid } from '../../errors/refusals.ts';
import { msOf, shownDuration } from '../common/read-time.ts';

type StoredRetry = NonNullable<EngineTask['retry']>;

const FACTOR_DEFAULT = 2;
const MAX_DELAY_DEFAULT = '1d';

/** The engine's form of a retry policy. */
export function storedRetry(policy: RetryPolicy, path: string): StoredRetry {
  const { maxAttempts, backoff, ...same } = policy;
  return {
    ...(maxAttempts === undefined ? {} : { attemptsMax: maxAttempts }),
    ...(backoff === undefined ? {} : storedBackoff(backoff, `${path}.backoff`)),
    ...same,
  };
}

function storedBackoff(
  backoff: NonNullable<RetryPolicy['backoff']>,
  path: string,
): Pick<StoredRetry, 'fixedDelayMs' | 'backOff'> {
  if (isList(backoff)) return { backOff: listOf(backoff, path) };
  checkMembers(backoff, path);
  switch (backoff.type) {
    case 'fixed':
      return { fixedDelayMs: delayOf(backoff.delay, `${path}.delay`) };
    case 'list':
      return { backOff: listOf(backoff.delays, `${path}.delays`) };
    case 'exponential':
      return { backOff: exponential(backoff, path) };
  }
}

function isList(backoff: NonNullable<RetryPolicy['backoff']>): backoff is readonly Duration[] {
  return Array.isArray(backoff);
}

/** What each type takes; the first of them it needs. */
const MEMBERS = {
  fixed: ['delay'],
  exponential: ['delay', 'factor', 'maxDelay', 'jitter'],
  list: ['delays'],
} as const satisfies Record<Backoff['type'], readonly [string, ...string[]]>;

function checkMembers(backoff: Backoff, path: string): void {
  const { type } = backoff;
  const members: readonly string[] = MEMBERS[type];
  const [needed] = MEMBERS[type];
  if (!Object.hasOwn(backoff, needed)) {
    throw invalid(`${path}.${needed}`, `a backoff of type ${type} needs ${needed}`);
  }
  const odd = Object.keys(backoff).find((name) => name !== 'type' && !members.includes(name));
  if (odd === undefined) return;
  throw invalid(`${path}.${odd}`, `a backoff of type ${type} cannot have ${odd}`);
}

function exponential(backoff: Backoff & { type: 'exponential' }, path: string): BackOff {
  const { delay, factor = FACTOR_DEFAULT, maxDelay = MAX_DELAY_DEFAULT, jitter = 0 } = backoff;
  const delayMs = delayOf(delay, `${path}.delay`);
  const maxDelayMs = msOf('backoff.maxDelay', { field: `${path}.maxDelay`, value: maxDelay });
  if (maxDelayMs < delayMs) {
    throw invalid(`${path}.maxDelay`, 'maxDelay must not be shorter than delay');
  }
  return { kind: 'exponential', delayMs, factor, maxDelayMs, jitter };
}

function listOf(delays: readonly Duration[], path: string): BackOff {
  return { kind: 'list', delaysMs: delays.map((delay, i) => delayOf(delay, `${path}[${i}]`)) };
}

function delayOf(value: Duration, field: string): number {
  return msOf('backoff.delay', { field, value });
}

/** The policy as its author would write it. */
export function authoredRetry(stored: StoredRetry): RetryPolicy {
  const { attemptsMax, fixedDelayMs, backOff, ...same } = stored;
  const backoff = authoredBackoff(fixedDelayMs ?? null, backOff ?? null);
  return {
    ...(attemptsMax === undefined ? {} : { maxAttempts: attemptsMax }),
    ...(backoff === null ? {} : { backoff }),
    ...same,
  };
}

function authoredBackoff(fixedDelayMs: number | null, backOff: BackOff | null): Backoff | null {
  if (fixedDelayMs !== null) return { type: 'fixed', delay: shownDuration(fixedDelayMs) };
  if (backOff === null) return null;
  switch (backOff.kind) {
    case 'list':
      return { type: 'list', delays: backOff.delaysMs.map((ms) => shownDuration(ms)) };
    case 'exponential': {
      const { delayMs, factor, maxDelayMs, jitter } = backOff;
      return {
        type: 'exponential',
        delay: shownDuration(delayMs),
        factor,
        maxDelay: shownDuration(maxDelayMs),
        jitter,
      };
    }
  }
}
