import { assertNever, invariant } from '../model/assert.ts';
import type { Book } from '../model/book.ts';
import { LIVE_KEPT, Schedule, SKIPS_KEPT, type Skip, scheduleKey } from '../model/schedule.ts';
import type { ScheduleFact, ScheduleSet, WindowFired, WindowsSkipped } from './schedule-facts.ts';

/**
 * I10: a window is decided once. The mark of a schedule only rises; a window behind it can only be
 * one that is held, and leaves the held ones by being fired or given up.
 */
export function foldSchedule(book: Book, fact: ScheduleFact): void {
  switch (fact.kind) {
    case 'scheduleSet':
      return foldSet(book, fact);
    case 'scheduleRemoved':
      return book.removeSchedule(scheduleOf(book, fact), fact.version);
    case 'windowFired':
      return foldFired(book, fact);
    case 'windowsSkipped':
      return foldSkipped(scheduleOf(book, fact), fact);
    case 'windowHeld': {
      const schedule = scheduleOf(book, fact);
      advance(schedule, fact.window, fact.window);
      schedule.held ??= [];
      schedule.held.push(fact.window);
      return;
    }
    case 'windowMet': {
      const schedule = scheduleOf(book, fact);
      const { window, run } = fact;
      invariant(
        window > schedule.decidedUpTo,
        'I10',
        `an event of schedule ${schedule.name} is older than its mark`,
      );
      schedule.met ??= new Map();
      if (!schedule.met.has(window)) schedule.met.set(window, run);
      return;
    }
    default:
      return assertNever(fact);
  }
}

function foldSet(book: Book, fact: ScheduleSet): void {
  const { partition, tenant, schedule: name, version, spec, decidedUpTo } = fact;
  const key = scheduleKey(tenant, name);
  const known = book.schedules.get(key);
  if (known === undefined) {
    const removed = book.removedSchedules.get(key) ?? NEVER;
    invariant(
      version > removed.version,
      'I10',
      `schedule ${name} is restored without a new version`,
    );
    invariant(decidedUpTo >= removed.decidedUpTo, 'I10', `the mark of schedule ${name} decreases`);
    book.removedSchedules.delete(key);
    book.addSchedule(new Schedule({ partition, tenant, name, version, spec, decidedUpTo }));
    return;
  }
  invariant(version > known.version, 'I10', `schedule ${name} goes back to version ${version}`);
  invariant(spec.job === known.spec.job, 'I10', `schedule ${name} moves to another job`);
  invariant(decidedUpTo >= known.decidedUpTo, 'I10', `the mark of schedule ${name} decreases`);
  known.earlier ??= [];
  known.earlier.push({ spec: known.spec, upTo: fact.until ?? decidedUpTo });
  known.version = version;
  known.spec = spec;
  known.decidedUpTo = decidedUpTo;
  forgetEarlier(known);
  forgetExpected(known);
}

/** Earlier versions are kept for as long as a window of theirs is held or undecided. */
function forgetEarlier(schedule: Schedule): void {
  const { earlier, held, decidedUpTo } = schedule;
  if (earlier === null) return;
  let after = Number.NEGATIVE_INFINITY;
  const kept = earlier.filter(({ upTo }) => {
    const from = after;
    after = upTo;
    return upTo > decidedUpTo || held?.some((window) => window > from && window <= upTo);
  });
  schedule.earlier = kept.length === 0 ? null : kept;
}

/**
 * What events did for windows counts only under a version that expects them. A window that passed to
 * one that does not is that version's, and a checkpoint of it has no place for more.
 */
function forgetExpected(schedule: Schedule): void {
  if (schedule.spec.expects !== undefined || schedule.earlier !== null) return;
  schedule.met = null;
  schedule.gaveUp = null;
}

const NEVER = { version: 0, decidedUpTo: Number.NEGATIVE_INFINITY };

function foldFired(book: Book, fact: WindowFired): void {
  const schedule = scheduleOf(book, fact);
  if (!leaveHeld(schedule, fact.window)) advance(schedule, fact.window, fact.window);
  schedule.firedCount++;
  schedule.lastFiredAt = fact.at;
  if (schedule.spec.expects !== undefined) {
    // Its run was submitted right before it, so the newest id is that of the run.
    schedule.gaveUp = { window: fact.window, seq: fact.run, ms: book.lastMs };
  }
  forgetEarlier(schedule);
  forgetExpected(schedule);
  schedule.live ??= new Set();
  schedule.live.add(fact.run);
  book.windowRuns.set(fact.run, schedule);
  if (schedule.live.size <= LIVE_KEPT) return;
  const [oldest] = schedule.live;
  forgetWindowRun(book, oldest as number);
}

function foldSkipped(schedule: Schedule, fact: WindowsSkipped): void {
  const wasHeld = fact.from === fact.to && leaveHeld(schedule, fact.from);
  if (!wasHeld) advance(schedule, fact.from, fact.to);
  forgetEarlier(schedule);
  forgetExpected(schedule);
  const { from, to, count, reason, at } = fact;
  remember(schedule, { from, to, count, reason, at });
}

/** Neighbours with one reason are one entry: a long run skips a window every minute. */
function remember(schedule: Schedule, skip: Skip): void {
  schedule.skips ??= [];
  const last = schedule.skips.at(-1);
  const joins =
    last !== undefined &&
    last.reason === skip.reason &&
    skip.from > last.to &&
    schedule.lastFiredAt < last.at;
  if (joins) {
    const count = last.count === null || skip.count === null ? null : last.count + skip.count;
    schedule.skips[schedule.skips.length - 1] = { ...skip, from: last.from, count };
    return;
  }
  schedule.skips.push(skip);
  if (schedule.skips.length > SKIPS_KEPT) schedule.skips.shift();
}

/** The end of a run, however it is told: its schedule may fire what it holds. */
export function forgetWindowRun(book: Book, seq: number): void {
  const schedule = book.windowRuns.get(seq);
  if (schedule === undefined) return;
  book.windowRuns.delete(seq);
  schedule.live?.delete(seq);
}

function leaveHeld(schedule: Schedule, window: number): boolean {
  const index = schedule.held?.indexOf(window) ?? -1;
  if (index < 0) return false;
  schedule.held?.splice(index, 1);
  return true;
}

function advance(schedule: Schedule, from: number, to: number): void {
  invariant(
    from > schedule.decidedUpTo,
    'I10',
    `window ${from} of ${schedule.name} is already decided`,
  );
  invariant(to >= from, 'I10', `windows of ${schedule.name} are not in ascending order`);
  schedule.decidedUpTo = to;
  if (schedule.met === null) return;
  for (const window of schedule.met.keys()) if (window <= to) schedule.met.delete(window);
}

/** The run that met a window turned out not to have happened. */
export function forgetMet(book: Book, of: { tenant: string; schedule: string }, seq: number): void {
  const met = book.schedules.get(scheduleKey(of.tenant, of.schedule))?.met;
  for (const [window, run] of met ?? []) if (run === seq) met?.delete(window);
}

function scheduleOf(book: Book, fact: { tenant: string; schedule: string }): Schedule {
  const schedule = book.schedules.get(scheduleKey(fact.tenant, fact.schedule));
  invariant(
    schedule !== undefined,
    'I10',
    `a fact about schedule ${fact.schedule}, which does not exist`,
  );
  return schedule;
}
