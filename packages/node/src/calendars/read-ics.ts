import { dateOf, dayOf, rangesOf } from './days.ts';
import { IcsError, type IcsLine, readLines } from './ics-lines.ts';
import { type IcsRule, isNamed, parseRule } from './ics-rule.ts';

export const ICS_CHARS_MAX = 1_000_000;
const EVENTS_MAX = 5_000;
/** Rules that must be gone through day by day. */
const RULES_MAX = 200;
const EVENT_DAYS_MAX = 366;
/** Repetitions are written down up to here; a calendar of dates has an end. */
const YEARS_AHEAD = 10;
const YEARS_WALKED_MAX = 60;

export interface IcsDays {
  /** As a calendar has them: dates, ranges, and `12-25` for what comes back every year. */
  readonly blackouts: readonly string[];
  readonly events: number;
  /** Events with a time of day: they close no day. */
  readonly timed: number;
}

interface Event {
  readonly first: number;
  /** How many days it takes. */
  readonly length: number;
  readonly rule: IcsRule | null;
  readonly except: ReadonlySet<number>;
}

/**
 * The days that the all-day events of an iCalendar file take (RFC 5545): holidays and shut-downs as
 * offices publish them. Throws IcsError. However the file was made, the work is bounded: by the number
 * of events and rules, and by walking days instead of solving rules.
 */
export function readIcs(text: string, nowMs: number): IcsDays {
  if (text.length > ICS_CHARS_MAX) {
    throw new IcsError(`the file has more than ${ICS_CHARS_MAX} characters`);
  }
  const found = { events: 0, timed: 0, rules: 0 };
  const days = new Set<number>();
  const yearly = new Set<string>();
  const today = Math.floor(nowMs / 86_400_000);
  for (const lines of eventsOf(text)) {
    if (++found.events > EVENTS_MAX) throw new IcsError(`there are more than ${EVENTS_MAX} events`);
    const event = eventOf(lines);
    if (event === null) {
      found.timed++;
      continue;
    }
    if (comesEveryYear(event)) {
      for (const day of spanOf(event, event.first)) yearly.add(isoMonthDay(day));
      continue;
    }
    if (event.rule !== null && ++found.rules > RULES_MAX) {
      throw new IcsError(`more than ${RULES_MAX} events are repeated by rules`);
    }
    for (const first of firstDays(event, today))
      for (const day of spanOf(event, first)) days.add(day);
  }
  if (found.events === 0) throw new IcsError('there is no event in it');
  const blackouts = [...[...yearly].sort(), ...rangesOf(days)];
  return { blackouts, events: found.events, timed: found.timed };
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
  if (!isCalendar) throw new IcsError('this is no iCalendar file: it has no BEGIN:VCALENDAR');
  if (lines !== null) throw new IcsError('the last event has no end');
}

/** Null for one with a time of day, and for one that was called off. */
function eventOf(lines: readonly IcsLine[]): Event | null {
  const of = (name: string) => lines.find((line) => line.name === name);
  const start = of('DTSTART');
  if (start === undefined || of('STATUS')?.value.trim().toUpperCase() === 'CANCELLED') return null;
  if (!/^\d{8}$/.test(start.value.trim())) return null;
  const first = dateIn(start, start.value);
  const rule = of('RRULE');
  const except = lines
    .filter(({ name }) => name === 'EXDATE')
    .flatMap((line) => line.value.split(',').map((value) => dateIn(line, value)));
  return {
    first,
    length: lengthOf(first, of('DTEND'), of('DURATION')),
    rule: rule === undefined ? null : parseRule(rule.value.trim(), rule.number),
    except: new Set(except),
  };
}

function dateIn({ name, number }: IcsLine, text: string): number {
  const day = dayOf(text.trim());
  if (day === null) throw new IcsError(`${name} is no date`, number);
  return day;
}

/** The end is the day after the last. */
function lengthOf(first: number, end: IcsLine | undefined, duration: IcsLine | undefined): number {
  let length = 1;
  if (end !== undefined) length = dateIn(end, end.value) - first;
  else if (duration !== undefined) {
    const [, count, unit] = /^P(\d{1,4})([DW])$/.exec(duration.value.trim()) ?? [];
    if (count === undefined) throw new IcsError('DURATION is not read', duration.number);
    length = Number(count) * (unit === 'W' ? 7 : 1);
  }
  if (length > EVENT_DAYS_MAX) throw new IcsError('an event takes more than a year', end?.number);
  return Math.max(1, length);
}

function comesEveryYear({ rule, except }: Event): boolean {
  return (
    rule !== null &&
    rule.frequency === 'YEARLY' &&
    rule.interval === 1 &&
    rule.count === null &&
    rule.until === null &&
    rule.weekdays.length + rule.months.length + rule.monthDays.length + except.size === 0
  );
}

function* firstDays({ first, rule, except }: Event, today: number): Generator<number> {
  if (rule === null) {
    yield first;
    return;
  }
  const walked = first + YEARS_WALKED_MAX * 366;
  const last = Math.min(today + YEARS_AHEAD * 366, rule.until ?? Number.POSITIVE_INFINITY, walked);
  let count = 0;
  for (let day = first; day <= last; day++) {
    if (!isNamed(rule, first, day)) continue;
    if (rule.count !== null && ++count > rule.count) return;
    // What is long over closes nothing any more.
    if (!except.has(day) && day >= today - 366) yield day;
  }
}

function* spanOf({ length }: Event, first: number): Generator<number> {
  for (let i = 0; i < length; i++) yield first + i;
}

function isoMonthDay(day: number): string {
  return dateOf(day).toISOString().slice(5, 10);
}
