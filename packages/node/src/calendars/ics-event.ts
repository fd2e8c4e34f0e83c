import { dayOf } from './days.ts';
import { IcsError, type IcsLine } from './ics-lines.ts';
import { type IcsRule, parseRule } from './ics-rule.ts';

const EVENT_DAYS_MAX = 366;

export interface Event {
  /** Null where it closes no day: it has a time of day, or was cancelled. */
  readonly days: EventDays | null;
  readonly uid: string | null;
  /** The day of the series that this event stands for, if it is a change of a single one. */
  readonly replaces: number | null;
}

export interface EventDays {
  readonly first: number;
  /** How many days it takes. */
  readonly length: number;
  readonly rule: IcsRule | null;
  readonly more: readonly number[];
  readonly except: ReadonlySet<number>;
}

/** Properties that say when an event happens; each of the first five at most once. */
const ONCE = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RECURRENCE-ID'] as const;
const READ: readonly string[] = [...ONCE, 'RDATE', 'EXDATE', 'EXRULE'];

/** Reads the lines of one event. What would be read in part only is refused. */
export function eventOf(lines: readonly IcsLine[]): Event {
  const read = lines.filter(({ name }) => READ.includes(name));
  for (const { name, number, isCut } of read) {
    if (isCut) throw new IcsError(`${name} is too long`, number);
    // It was withdrawn from the standard, and takes away days that a rule names.
    if (name === 'EXRULE')
      throw new IcsError('EXRULE is not supported; list the days with EXDATE', number);
  }
  const of = (name: (typeof ONCE)[number]): IcsLine | undefined => {
    const [found, second] = read.filter((line) => line.name === name);
    if (second === undefined) return found;
    throw new IcsError(`the event has more than one ${name}`, second.number);
  };
  const id = of('RECURRENCE-ID');
  if (id?.params.has('RANGE')) throw new IcsError('RANGE is not supported', id.number);
  const uid = lines.find(({ name }) => name === 'UID')?.value.trim() ?? null;
  const replaces = id === undefined ? null : dateIn(id, id.value);
  return { days: daysOf(lines, of), uid, replaces };
}

function daysOf(
  lines: readonly IcsLine[],
  of: (name: (typeof ONCE)[number]) => IcsLine | undefined,
): EventDays | null {
  const status = lines.find(({ name }) => name === 'STATUS');
  if (status?.value.trim().toUpperCase() === 'CANCELLED') return null;
  const start = of('DTSTART');
  if (start === undefined) throw new IcsError('an event has no DTSTART', lines[0]?.number);
  if (/^\d{8}T/.test(start.value.trim())) return null;
  const first = dateIn(start, start.value);
  const rule = of('RRULE');
  const dates = (property: string, read: (line: IcsLine, text: string) => number) =>
    lines
      .filter(({ name }) => name === property)
      .flatMap((line) => line.value.split(',').map((value) => read(line, value)));
  return {
    first,
    length: lengthOf(first, of('DTEND'), of('DURATION')),
    rule: rule === undefined ? null : parseRule(rule.value.trim(), rule.number),
    more: dates('RDATE', wholeDayIn),
    except: new Set(dates('EXDATE', dateIn)),
  };
}

function dateIn({ name, number }: IcsLine, text: string): number {
  const day = dayOf(text.trim());
  if (day === null) throw new IcsError(`${name} must be a date from 1900 on`, number);
  return day;
}

/** A date without a time: part of a day, or a span of its own, cannot be closed. */
function wholeDayIn(line: IcsLine, text: string): number {
  if (/^\d{8}$/.test(text.trim())) return dateIn(line, text);
  throw new IcsError(`${line.name} of an all-day event has a time or a period`, line.number);
}

/** The end is the day after the last. */
function lengthOf(first: number, end: IcsLine | undefined, duration: IcsLine | undefined): number {
  let length = 1;
  if (end !== undefined) length = wholeDayIn(end, end.value) - first;
  else if (duration !== undefined) {
    const [, count, unit] = /^\+?P(\d{1,4})([DW])$/.exec(duration.value.trim()) ?? [];
    if (count === undefined)
      throw new IcsError('DURATION must be in days or weeks', duration.number);
    length = Number(count) * (unit === 'W' ? 7 : 1);
  }
  if (length < 0) throw new IcsError('an event ends before it starts', end?.number);
  if (length > EVENT_DAYS_MAX) throw new IcsError('an event is longer than a year', end?.number);
  return Math.max(1, length);
}
