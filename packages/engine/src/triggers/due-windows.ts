import {
  plannedStart,
  type Recurrence,
  type Schedule,
  type SkipReason,
  specOf,
} from '../model/schedule.ts';

/** What becomes of windows; always told in the order of time. */
export type WindowDecision =
  | {
      readonly kind: 'fire';
      readonly window: number;
      readonly planned: number;
      readonly catchUp: boolean;
    }
  | {
      readonly kind: 'skip';
      readonly from: number;
      readonly to: number;
      readonly count: number | null;
      readonly reason: SkipReason;
    };

export interface DueParams {
  readonly of: Pick<Schedule, 'tenant' | 'name' | 'spec' | 'earlier' | 'decidedUpTo'>;
  readonly recurrence: Recurrence;
  readonly now: number;
  /** Every window up to here is due, also one whose planned start is still to come. */
  readonly closing?: number;
}

/** Windows of a range are counted up to this many: a count must not cost more than the decision. */
export const COUNT_MAX = 1_000;

/**
 * I11: decides every window that is due and undecided, in order and never early. The work is bounded by the catch-up policy and not
 * by how long nobody looked: a month of minutes is one range, found by stepping back from now.
 */
export function dueWindows(params: DueParams): WindowDecision[] {
  const { of, recurrence, now } = params;
  const first = recurrence.next(of.decidedUpTo);
  if (first === null) return [];
  const last = lastDue(params, first);
  if (last === null) return [];
  const planned = plan(params, last);
  // The newest is merely late while its grace lasts: a short hiccup is no reason for a policy.
  const isLate = now - planned <= of.spec.graceMs;
  if (!isLate) return missed(params, first, last);
  const fired = { kind: 'fire', window: last, planned, catchUp: false } as const;
  if (last === first) return [fired];
  return [...missed(params, first, recurrence.previous(last) as number), fired];
}

function plan({ of, recurrence }: DueParams, window: number): number {
  return plannedStart(
    of,
    window,
    specOf(of, window).jitterMs === 0 ? null : recurrence.next(window),
  );
}

/** The newest window that is due; null where even the first one is not. */
function lastDue(params: DueParams, first: number): number | null {
  const { recurrence, now, closing } = params;
  const isDue = (window: number): boolean =>
    closing === undefined ? plan(params, window) <= now : window <= closing;
  if (!isDue(first)) return null;
  const second = recurrence.next(first);
  if (second === null || !isDue(second)) return first;
  // What waits for an event waits longer than until the next window.
  const waitMs = closing === undefined ? (params.of.spec.expects?.bufferMs ?? 0) : 0;
  const newest = recurrence.previous((closing ?? now) - waitMs + 1) as number;
  // Plans rise with their windows, so at most the newest one still waits for its jitter.
  return isDue(newest) ? newest : recurrence.previous(newest);
}

/** Windows from `first` to `last` were missed: some of them are caught up, the others are told of. */
function missed(params: DueParams, first: number, last: number): WindowDecision[] {
  const { recurrence, now } = params;
  const { windowsMax, ageMsMax, order } = params.of.spec.catchUp;
  if (windowsMax === 0) return [skip(params, [first, last], 'catch_up_off')];
  const oldest = now - ageMsMax;
  const young = first >= oldest ? first : recurrence.next(oldest - 1);
  if (young === null || young > last) return [skip(params, [first, last], 'too_old')];
  const decisions: WindowDecision[] = [];
  if (young > first) {
    decisions.push(skip(params, [first, recurrence.previous(young) as number], 'too_old'));
  }
  const chosen = order === 'newest' ? newestOf(params, young, last) : oldestOf(params, young, last);
  const from = chosen[0] as number;
  const to = chosen.at(-1) as number;
  if (from > young) {
    decisions.push(skip(params, [young, recurrence.previous(from) as number], 'catch_up_limit'));
  }
  for (const window of chosen) {
    decisions.push({ kind: 'fire', window, planned: plan(params, window), catchUp: true });
  }
  if (to < last) {
    decisions.push(skip(params, [recurrence.next(to) as number, last], 'catch_up_limit'));
  }
  return decisions;
}

function newestOf({ of, recurrence }: DueParams, first: number, last: number): number[] {
  const chosen: number[] = [];
  for (
    let window: number | null = last;
    window !== null && window >= first && chosen.length < of.spec.catchUp.windowsMax;
    window = recurrence.previous(window)
  ) {
    chosen.push(window);
  }
  return chosen.reverse();
}

function oldestOf({ of, recurrence }: DueParams, first: number, last: number): number[] {
  const chosen: number[] = [];
  for (
    let window: number | null = first;
    window !== null && window <= last && chosen.length < of.spec.catchUp.windowsMax;
    window = recurrence.next(window)
  ) {
    chosen.push(window);
  }
  return chosen;
}

function skip(
  { recurrence }: DueParams,
  [from, to]: readonly [number, number],
  reason: SkipReason,
): WindowDecision {
  return { kind: 'skip', from, to, count: countWindows(recurrence, from, to), reason };
}

/** How many windows lie between the two, both included; null where that is more than a thousand. */
export function countWindows(recurrence: Recurrence, from: number, to: number): number | null {
  let count = 1;
  for (let window = recurrence.next(from); window !== null && window <= to; count++) {
    if (count >= COUNT_MAX) return null;
    window = recurrence.next(window);
  }
  return count;
}
