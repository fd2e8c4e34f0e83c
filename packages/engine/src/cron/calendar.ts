import { civilDateOf, dayNumberOf, daysInMonth, SECONDS_PER_DAY, weekdayOf } from './civil.ts';

/** Local dates on which nothing is due. Holidays are data from outside: no rule knows them all. */
export interface Calendar {
  /** Monday to Friday are open, Saturday and Sunday closed. */
  readonly isWeekdaysOnly: boolean;
  /** Closed days, as days since 1970. */
  readonly blackoutDays: ReadonlySet<number>;
  /** Closed in every year, as `month * 100 + day`. */
  readonly yearlyBlackouts: ReadonlySet<number>;
  /** Open whatever else is said: a Saturday that makes up for a bridge day. */
  readonly openDays: ReadonlySet<number>;
}

/** Why a day is closed. */
export type Closed = 'blackout' | 'weekend';

/** Takes a local time in seconds since 1970 on the wall clock; null where the day is open. */
export function closedAt(calendar: Calendar, localSeconds: number): Closed | null {
  const dayNumber = Math.floor(localSeconds / SECONDS_PER_DAY);
  if (calendar.openDays.has(dayNumber)) return null;
  if (calendar.blackoutDays.has(dayNumber)) return 'blackout';
  if (calendar.yearlyBlackouts.size > 0) {
    const { month, day } = civilDateOf(dayNumber);
    if (calendar.yearlyBlackouts.has(month * 100 + day)) return 'blackout';
  }
  if (!calendar.isWeekdaysOnly) return null;
  const weekday = weekdayOf(dayNumber);
  return weekday === 0 || weekday === 6 ? 'weekend' : null;
}

/** A calendar as it is written in a definition. */
export interface CalendarData {
  /** That of the saved calendar that it was taken from. */
  readonly name?: string;
  readonly weekdaysOnly?: boolean;
  /** `2026-12-24`, `2026-12-24/2027-01-01` with both days closed, or `12-25` for every year. */
  readonly blackouts?: readonly string[];
  /** `2026-12-19`: open whatever else is said. */
  readonly open?: readonly string[];
}

export type ParsedCalendar =
  | { readonly kind: 'parsed'; readonly calendar: Calendar }
  | { readonly kind: 'refused'; readonly refusal: CalendarRefusal };

export interface CalendarRefusal {
  /** A path like `blackouts[2]`. */
  readonly field: string;
  readonly message: string;
}

/** More is not a calendar any more, and every window asks it. */
const CLOSED_DAYS_MAX = 20_000;

export function parseCalendar(data: CalendarData): ParsedCalendar {
  const blackoutDays = new Set<number>();
  const yearlyBlackouts = new Set<number>();
  const openDays = new Set<number>();
  for (const [index, text] of (data.blackouts ?? []).entries()) {
    const field = `blackouts[${index}]`;
    const yearly = parseYearly(text);
    if (yearly !== null) yearlyBlackouts.add(yearly);
    else {
      const days = parseDays(text);
      if (typeof days === 'string') return refused(field, days);
      for (const day of days) blackoutDays.add(day);
    }
    if (blackoutDays.size > CLOSED_DAYS_MAX) {
      return refused(field, `the calendar closes more than ${CLOSED_DAYS_MAX} days`);
    }
  }
  for (const [index, text] of (data.open ?? []).entries()) {
    const day = parseDate(text);
    const field = `open[${index}]`;
    if (day === null) return refused(field, notADate(text));
    openDays.add(day);
  }
  const isWeekdaysOnly = data.weekdaysOnly === true;
  return {
    kind: 'parsed',
    calendar: { isWeekdaysOnly, blackoutDays, yearlyBlackouts, openDays },
  };
}

function refused(field: string, message: string): ParsedCalendar {
  return { kind: 'refused', refusal: { field, message } };
}

/** The days that are meant, or what is wrong. */
function parseDays(text: string): readonly number[] | string {
  const [from = '', until = from, ...more] = text.split('/');
  const first = parseDate(from);
  const last = parseDate(until);
  if (first === null || last === null || more.length > 0) return notADate(text);
  if (last < first) return `the range ${JSON.stringify(text)} ends before it starts`;
  if (last - first > CLOSED_DAYS_MAX)
    return `the calendar closes more than ${CLOSED_DAYS_MAX} days`;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** 29 February is a date that not every year has, and no mistake. */
const SOME_LEAP_YEAR = 2000;

function parseYearly(text: string): number | null {
  if (!/^\d\d-\d\d$/.test(text)) return null;
  const day = parseDate(`${SOME_LEAP_YEAR}-${text}`);
  if (day === null) return null;
  const date = civilDateOf(day);
  return date.month * 100 + date.day;
}

function parseDate(text: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return isDate ? dayNumberOf(year, month, day) : null;
}

function notADate(text: string): string {
  const shown = JSON.stringify(text.slice(0, 32));
  return `${shown} is not a date such as 2026-12-24, a range such as 2026-12-24/2026-12-31, or a yearly date such as 12-25`;
}
