import { dateOf, rangesOf } from './days.ts';
import { expandRule } from './expand-rule.ts';
import { type Event, type EventDays, eventOf } from './ics-event.ts';
import { IcsError, type IcsLine, readLines } from './ics-lines.ts';

export const ICS_CHARS_MAX = 1_000_000;
const EVENTS_MAX = 5_000;
/** Rules that must be gone through day by day, and the days of all of them. */
const RULES_MAX = 200;
const DAYS_WALKED_MAX = 2_000_000;
/** Repetitions are written down up to here; a calendar of dates has an end. */
const DAYS_AHEAD = 10 * 366;
/** What is longer over closes nothing any more. */
const DAYS_BACK = 366;

export interface IcsDays {
  /** As a calendar has them: dates, ranges, and `12-25` for what comes back every year. */
  readonly blackouts: readonly string[];
  readonly events: number;
  /** Events with a time of day, and cancelled ones: they close no day. */
  readonly timed: number;
}

/**
 * The days that the all-day events of an iCalendar file take (RFC 5545): holidays and shut-downs as
 * offices publish them. Throws IcsError, also for everything that it does not understand: a file that is
 * read in part closes the wrong days. However the file was made, the work is bounded: by the number of
 * events, rules and days walked over.
 */
export function readIcs(text: string, nowMs: number): IcsDays {
  if (text.length > ICS_CHARS_MAX) {
    throw new IcsError(`the file has more than ${ICS_CHARS_MAX} characters`);
  }
  const events: Event[] = [];
  for (const lines of eventsOf(text)) {
    if (events.push(eventOf(lines)) <= EVENTS_MAX) continue;
    throw new IcsError(`the file has more than ${EVENTS_MAX} events`);
  }
  if (events.length === 0) throw new IcsError('the file has no event');
  const today = Math.floor(nowMs / 86_400_000);
  const replaced = replacedDays(events);
  const days = new Set<number>();
  const yearly = new Set<string>();
  let [rules, walkedDays] = [0, 0];
  const walked = (): void => {
    if (++walkedDays > DAYS_WALKED_MAX)
      throw new IcsError('the rules of the file cover too many days');
  };
  for (const { days: event, uid, replaces } of events) {
    if (event === null) continue;
    const gone = replaces === null ? replaced.get(uid ?? '') : undefined;
    if (comesEveryYear(event, today) && gone === undefined) {
      for (const day of spanOf(event, event.first)) yearly.add(isoMonthDay(day));
      continue;
    }
    if (event.rule !== null && ++rules > RULES_MAX) {
      throw new IcsError(`the file has more than ${RULES_MAX} events with a repetition rule`);
    }
    for (const first of firstDays(event, today, walked)) {
      if (event.except.has(first) || gone?.has(first)) continue;
      for (const day of spanOf(event, first)) days.add(day);
    }
  }
  const blackouts = [...[...yearly].sort(), ...rangesOf(days)];
  const timed = events.filter((event) => event.days === null).length;
  return { blackouts, events: events.length, timed };
}

/** By the id of the series: days of it that events of their own stand for. */
function replacedDays(events: readonly Event[]): Map<string, Set<number>> {
  const replaced = new Map<string, Set<number>>();
  for (const { uid, replaces } of events) {
    if (replaces === null || uid === null) continue;
    const days = replaced.get(uid) ?? new Set();
    replaced.set(uid, days.add(replaces));
  }
  return replaced;
}

/** The lines of each VEVENT; what lies inside of one, like an alarm, is not part of it. */
function* eventsOf(text: string): Generator<IcsLine[]> {
  let lines: IcsLine[] | null = null;
  let depth = 0;
  let isCalendar = false;
  for (const line of readLines(text)) {
    const word = line.value.trim().toUpperCase();
    if (line.name === 'BEGIN') {
      isCalendar ||= word === 'VCALENDAR';
      if (lines !== null) depth++;
      else if (word === 'VEVENT') lines = [];
    } else if (line.name === 'END' && lines !== null) {
      if (depth > 0) depth--;
      else {
        yield lines;
        lines = null;
      }
    } else if (lines !== null && depth === 0) lines.push(line);
  }
  if (!isCalendar) throw new IcsError('not an iCalendar file: BEGIN:VCALENDAR is missing');
  if (lines !== null) throw new IcsError('END:VEVENT of the last event is missing');
}

/** A plain yearly rule that has begun is kept without an end, as a date of every year. */
function comesEveryYear(event: EventDays, today: number): boolean {
  const { first, rule, more, except } = event;
  if (rule === null || first > today || more.length + except.size > 0) return false;
  const { frequency, interval, count, until } = rule;
  const lists = [rule.months, rule.weeks, rule.yearDays, rule.monthDays, rule.weekdays];
  const isPlain = frequency === 'YEARLY' && interval === 1 && count === null && until === null;
  return isPlain && lists.every((list) => list.length === 0) && !touchesLeapDay(event);
}

/** Several days around the end of February are other dates in leap years. */
function touchesLeapDay(event: EventDays): boolean {
  if (event.length === 1) return false;
  const days = [...spanOf(event, event.first)].map(isoMonthDay);
  return days.includes('02-29') || (days.includes('02-28') && days.includes('03-01'));
}

function* firstDays(event: EventDays, today: number, walked: () => void): Generator<number> {
  const { first: start, rule, more, length } = event;
  yield* more;
  if (rule === null) yield start;
  else {
    const from = today - DAYS_BACK - length;
    const to = Math.max(today, start) + DAYS_AHEAD;
    yield* expandRule({ rule, start, from, to, walked });
  }
}

function* spanOf({ length }: EventDays, first: number): Generator<number> {
  for (let i = 0; i < length; i++) yield first + i;
}

function isoMonthDay(day: number): string {
  return dateOf(day).toISOString().slice(5, 10);
}
