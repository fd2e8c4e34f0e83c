import { dayOf } from './days.ts';
import { IcsError } from './ics-lines.ts';

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'] as const;
type Frequency = (typeof FREQUENCIES)[number];

/** The parts of a rule; those that repeat within a day cannot apply to all-day events. */
const PARTS = [
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'BYMONTH',
  'BYWEEKNO',
  'BYYEARDAY',
  'BYMONTHDAY',
  'BYDAY',
  'BYSETPOS',
  'WKST',
] as const;
type Part = (typeof PARTS)[number];

/** Parts that make no sense beside a frequency, as the table of RFC 5545, 3.3.10 has it. */
const NOT_WITH: { readonly [F in Frequency]: readonly Part[] } = {
  YEARLY: [],
  MONTHLY: ['BYWEEKNO', 'BYYEARDAY'],
  WEEKLY: ['BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'],
  DAILY: ['BYWEEKNO', 'BYYEARDAY'],
};

const LIST_MAX = 400;

/** A recurrence rule of an all-day event (RFC 5545, 3.3.10). Numbers below 0 count from the end. */
export interface IcsRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | null;
  /** The last day that may be named. */
  readonly until: number | null;
  readonly months: readonly number[];
  readonly weeks: readonly number[];
  readonly yearDays: readonly number[];
  readonly monthDays: readonly number[];
  /** `nth` of the month or the year; 0 for each. */
  readonly weekdays: readonly IcsWeekday[];
  readonly positions: readonly number[];
  /** The weekday on which weeks begin, 0 for Sunday. */
  readonly weekStart: number;
}

export interface IcsWeekday {
  readonly weekday: number;
  readonly nth: number;
}

/** Reads a rule. Whatever is not understood is refused: a rule that is read in part closes other days. */
export function parseRule(text: string, line: number): IcsRule {
  const parts = partsOf(text, line);
  const frequency = FREQUENCIES.find((each) => each === parts.get('FREQ'));
  if (frequency === undefined) {
    throw new IcsError('FREQ of an all-day event must be YEARLY, MONTHLY, WEEKLY or DAILY', line);
  }
  for (const part of NOT_WITH[frequency]) {
    if (parts.has(part))
      throw new IcsError(`${part} is not supported with FREQ=${frequency}`, line);
  }
  const numbers = (part: Part, max: number): number[] =>
    listOf(parts, part, line).map((word) => numberIn(word, { part, min: -max, max, line }));
  const one = (part: Part, max: number): number | null => {
    const word = parts.get(part);
    return word === undefined ? null : numberIn(word, { part, min: 1, max, line });
  };
  const months = listOf(parts, 'BYMONTH', line).map((word) =>
    numberIn(word, { part: 'BYMONTH', min: 1, max: 12, line }),
  );
  const until = parts.get('UNTIL');
  const rule: IcsRule = {
    frequency,
    interval: one('INTERVAL', 1_000) ?? 1,
    count: one('COUNT', 100_000),
    until: until === undefined ? null : untilOf(until, line),
    months,
    weeks: numbers('BYWEEKNO', 53),
    yearDays: numbers('BYYEARDAY', 366),
    monthDays: numbers('BYMONTHDAY', 31),
    weekdays: listOf(parts, 'BYDAY', line).map((word) => weekdayIn(word, line)),
    positions: numbers('BYSETPOS', 366),
    weekStart: weekStartOf(parts.get('WKST') ?? 'MO', line),
  };
  refuseContradictions(rule, line);
  return rule;
}

function refuseContradictions(rule: IcsRule, line: number): void {
  const { frequency, count, until, weekdays, weeks, positions } = rule;
  if (count !== null && until !== null) {
    throw new IcsError('a rule cannot have both COUNT and UNTIL', line);
  }
  const hasNth = weekdays.some(({ nth }) => nth !== 0);
  if (hasNth && (frequency === 'WEEKLY' || frequency === 'DAILY' || weeks.length > 0)) {
    throw new IcsError('an nth weekday needs FREQ=MONTHLY or FREQ=YEARLY, without BYWEEKNO', line);
  }
  const lists = [rule.months, weeks, rule.yearDays, rule.monthDays, weekdays];
  if (positions.length > 0 && lists.every((list) => list.length === 0)) {
    throw new IcsError('BYSETPOS needs another BY part to choose from', line);
  }
}

function partsOf(text: string, line: number): Map<Part, string> {
  const parts = new Map<Part, string>();
  for (const each of text.toUpperCase().split(';')) {
    const [, name = '', value = ''] = /^([A-Z-]+)=([^=]+)$/.exec(each) ?? [];
    const part = PARTS.find((known) => known === name);
    if (part === undefined)
      throw new IcsError(`the rule part ${quoted(each)} is not supported`, line);
    if (parts.has(part)) throw new IcsError(`the rule has ${part} twice`, line);
    parts.set(part, value);
  }
  return parts;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 32));
}

function listOf(parts: ReadonlyMap<Part, string>, part: Part, line: number): string[] {
  const words = parts.get(part)?.split(',') ?? [];
  if (words.length <= LIST_MAX) return words;
  throw new IcsError(`${part} has more than ${LIST_MAX} entries`, line);
}

function numberIn(
  word: string,
  { part, min, max, line }: { part: Part; min: number; max: number; line: number },
): number {
  const number = Number(word);
  const isIn = /^[+-]?\d{1,6}$/.test(word) && number !== 0 && number >= min && number <= max;
  if (isIn) return number;
  throw new IcsError(`${quoted(word)} is not a valid value for ${part}`, line);
}

function weekdayIn(word: string, line: number): IcsWeekday {
  const [, nth = '', name = ''] = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(word) ?? [];
  const isIn = nth === '' || (Number(nth) !== 0 && Math.abs(Number(nth)) <= 53);
  if (name === '' || !isIn) throw new IcsError(`${quoted(word)} is not a weekday`, line);
  return { weekday: WEEKDAYS.indexOf(name), nth: Number(nth) };
}

function weekStartOf(word: string, line: number): number {
  const weekday = WEEKDAYS.indexOf(word);
  if (weekday < 0) throw new IcsError(`${quoted(word)} is not a weekday`, line);
  return weekday;
}

function untilOf(text: string, line: number): number {
  const day = dayOf(text);
  if (day === null) throw new IcsError('UNTIL is not a date', line);
  return day;
}
