import { dateOf, dayOf } from './days.ts';
import { IcsError } from './ics-lines.ts';

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'] as const;
const KNOWN = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYMONTH', 'BYMONTHDAY', 'BYDAY', 'WKST'];

/** A rule of repetition, as far as closed days need one (RFC 5545, 3.3.10). */
export interface IcsRule {
  readonly frequency: (typeof FREQUENCIES)[number];
  readonly interval: number;
  readonly count: number | null;
  readonly until: number | null;
  readonly months: readonly number[];
  /** From the end where negative. */
  readonly monthDays: readonly number[];
  /** `nth` of the month, from the end where negative; 0 for each. */
  readonly weekdays: readonly { readonly weekday: number; readonly nth: number }[];
}

export function parseRule(text: string, line: number): IcsRule {
  const parts = new Map(
    text.split(';').map((part) => part.toUpperCase().split('=', 2) as [string, string]),
  );
  for (const name of parts.keys()) {
    if (!KNOWN.includes(name)) throw new IcsError(`the rule says ${name}, which is not read`, line);
  }
  const frequency = FREQUENCIES.find((each) => each === parts.get('FREQ'));
  if (frequency === undefined) throw new IcsError('the rule repeats by no day, week or year', line);
  const weekdays = listOf(parts.get('BYDAY')).map((word) => weekdayOf(word, line));
  const months = numbers(parts.get('BYMONTH'), { min: 1, max: 12, line });
  const hasNth = weekdays.some(({ nth }) => nth !== 0);
  if (hasNth && !(frequency === 'MONTHLY' || (frequency === 'YEARLY' && months.length > 0))) {
    throw new IcsError('the nth weekday is read of a month only', line);
  }
  return {
    frequency,
    interval: numbers(parts.get('INTERVAL'), { min: 1, max: 1_000, line })[0] ?? 1,
    count: numbers(parts.get('COUNT'), { min: 1, max: 100_000, line })[0] ?? null,
    until: parts.has('UNTIL') ? untilOf(parts.get('UNTIL') ?? '', line) : null,
    months,
    monthDays: numbers(parts.get('BYMONTHDAY'), { min: -31, max: 31, line }),
    weekdays,
  };
}

/** Whether the rule names the day, for an event that first happens on `start`. */
export function isNamed(rule: IcsRule, start: number, day: number): boolean {
  const date = dateOf(day);
  const first = dateOf(start);
  const month = date.getUTCMonth() + 1;
  if (rule.months.length > 0 && !rule.months.includes(month)) return false;
  if (!isInStep(rule, { start, day, first, date })) return false;
  if (rule.weekdays.length > 0 && !rule.weekdays.some((each) => fits(each, date))) return false;
  if (rule.monthDays.length > 0) {
    const left = daysIn(date) - date.getUTCDate() + 1;
    return rule.monthDays.some((each) => each === date.getUTCDate() || each === -left);
  }
  if (rule.weekdays.length > 0 || rule.frequency === 'DAILY') return true;
  if (rule.frequency === 'WEEKLY') return date.getUTCDay() === first.getUTCDay();
  if (date.getUTCDate() !== first.getUTCDate()) return false;
  return (
    rule.frequency === 'MONTHLY' || rule.months.length > 0 || month === first.getUTCMonth() + 1
  );
}

interface Between {
  readonly start: number;
  readonly day: number;
  readonly first: Date;
  readonly date: Date;
}

function isInStep({ frequency, interval }: IcsRule, { start, day, first, date }: Between): boolean {
  if (interval === 1) return true;
  const years = date.getUTCFullYear() - first.getUTCFullYear();
  switch (frequency) {
    case 'YEARLY':
      return years % interval === 0;
    case 'MONTHLY':
      return (years * 12 + date.getUTCMonth() - first.getUTCMonth()) % interval === 0;
    case 'WEEKLY': {
      // Weeks begin on Monday.
      const week = (of: number) => Math.floor((of + 3) / 7);
      return (week(day) - week(start)) % interval === 0;
    }
    case 'DAILY':
      return (day - start) % interval === 0;
  }
}

function fits({ weekday, nth }: IcsRule['weekdays'][number], date: Date): boolean {
  if (date.getUTCDay() !== weekday) return false;
  if (nth === 0) return true;
  const day = date.getUTCDate();
  return nth > 0 ? Math.ceil(day / 7) === nth : Math.ceil((daysIn(date) - day + 1) / 7) === -nth;
}

function daysIn(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

function listOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').slice(0, 100);
}

function numbers(
  text: string | undefined,
  { min, max, line }: { min: number; max: number; line: number },
): number[] {
  return listOf(text).map((word) => {
    const number = Number(word);
    if (/^-?\d{1,6}$/.test(word) && number >= min && number <= max && number !== 0) return number;
    throw new IcsError(
      `the rule says ${JSON.stringify(word.slice(0, 32))}, which is not read`,
      line,
    );
  });
}

function weekdayOf(word: string, line: number): IcsRule['weekdays'][number] {
  const [, nth = '', name = ''] = /^([+-]?[1-5])?(SU|MO|TU|WE|TH|FR|SA)$/.exec(word) ?? [];
  if (name === '') {
    throw new IcsError(
      `the rule says ${JSON.stringify(word.slice(0, 32))}, which is no weekday`,
      line,
    );
  }
  return { weekday: WEEKDAYS.indexOf(name), nth: Number(nth) };
}

function untilOf(text: string, line: number): number {
  const day = dayOf(text);
  if (day === null) throw new IcsError('UNTIL is no date', line);
  return day;
}
