import { dateOf, dayNumber, weekdayOf } from './days.ts';
import type { IcsRule, IcsWeekday } from './ics-rule.ts';

/** A year, month, week or day of the rule: its days, and the year that weeks are counted in. */
interface Period {
  readonly first: number;
  readonly last: number;
  readonly year: number;
}

export interface Expansion {
  readonly rule: IcsRule;
  /** The day on which the event first happens. */
  readonly start: number;
  /** The range that is wanted, both days included. */
  readonly from: number;
  readonly to: number;
  /** Called for every day that is looked at: throws where that is too much. */
  walked(): void;
}

/**
 * The days that a rule names, in order. It walks over days and tests each, instead of solving the rule:
 * so the work is bounded also for a rule that names a day which never comes. The start is the first
 * occurrence whatever the rule says, and is counted (RFC 5545, 3.8.5.3).
 */
export function* expandRule(expansion: Expansion): Generator<number> {
  const { rule, start, from, to, walked } = expansion;
  const last = Math.min(to, rule.until ?? Number.POSITIVE_INFINITY);
  if (start >= from && start <= to) yield start;
  let count = 1;
  // What is counted must be counted from the beginning; all else begins where it is wanted.
  const firstPeriod = rule.count === null ? periodBefore(rule, start, from) : 0;
  for (let k = firstPeriod; ; k += rule.interval) {
    const period = periodOf(rule, start, k);
    if (period.first > last) return;
    for (const day of daysIn(rule, start, period, walked)) {
      if (day <= start) continue;
      if (day > last || (rule.count !== null && ++count > rule.count)) return;
      if (day >= from) yield day;
    }
  }
}

/** A period that ends before the day, a multiple of the interval away from the first. */
function periodBefore(rule: IcsRule, start: number, day: number): number {
  const lengthMax = { YEARLY: 366, MONTHLY: 31, WEEKLY: 7, DAILY: 1 }[rule.frequency];
  const periods = Math.floor((day - start) / lengthMax) - 2;
  return Math.max(0, Math.floor(periods / rule.interval) * rule.interval);
}

function periodOf({ frequency, weeks, weekStart }: IcsRule, start: number, k: number): Period {
  const date = dateOf(start);
  const year = date.getUTCFullYear();
  switch (frequency) {
    case 'YEARLY': {
      if (weeks.length === 0) {
        const of = year + k;
        return { first: dayNumber(of, 0, 1), last: dayNumber(of, 11, 31), year: of };
      }
      const of = weekYearOf(start, weekStart) + k;
      return { first: firstWeek(of, weekStart), last: firstWeek(of + 1, weekStart) - 1, year: of };
    }
    case 'MONTHLY': {
      const month = date.getUTCMonth() + k;
      return {
        first: dayNumber(year, month, 1),
        last: dayNumber(year, month + 1, 0),
        year: year + Math.floor(month / 12),
      };
    }
    case 'WEEKLY': {
      const first = weekOf(start, weekStart) + 7 * k;
      return { first, last: first + 6, year };
    }
    case 'DAILY':
      return { first: start + k, last: start + k, year };
  }
}

/** The days of one period that the rule names; `BYSETPOS` chooses among them. */
function daysIn(rule: IcsRule, start: number, period: Period, walked: () => void): number[] {
  const days: number[] = [];
  for (let day = period.first; day <= period.last; day++) {
    walked();
    if (isNamed(rule, start, day, period)) days.push(day);
  }
  const { positions } = rule;
  if (positions.length === 0) return days;
  return days.filter((_, i) => positions.includes(i + 1) || positions.includes(i - days.length));
}

function isNamed(rule: IcsRule, start: number, day: number, period: Period): boolean {
  const { frequency, months, weeks, yearDays, monthDays, weekdays, weekStart } = rule;
  const date = dateOf(day);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (months.length > 0 && !months.includes(month + 1)) return false;
  if (weeks.length > 0) {
    const week = (weekOf(day, weekStart) - period.first) / 7;
    const weeksInYear = (period.last - period.first + 1) / 7;
    if (!weeks.includes(week + 1) && !weeks.includes(week - weeksInYear)) return false;
  }
  if (yearDays.length > 0) {
    const left = day - dayNumber(year, 11, 31) - 1;
    if (!yearDays.includes(day - dayNumber(year, 0, 1) + 1) && !yearDays.includes(left)) {
      return false;
    }
  }
  if (monthDays.length > 0) {
    const left = day - dayNumber(year, month + 1, 0) - 1;
    if (!monthDays.includes(dayOfMonth) && !monthDays.includes(left)) return false;
  }
  if (weekdays.length > 0) {
    const isOfYear = frequency === 'YEARLY' && months.length === 0;
    const within = isOfYear
      ? [dayNumber(year, 0, 1), dayNumber(year, 11, 31)]
      : [dayNumber(year, month, 1), dayNumber(year, month + 1, 0)];
    return weekdays.some((each) => isWeekday(each, day, within as [number, number]));
  }
  if (monthDays.length + yearDays.length > 0 || frequency === 'DAILY') return true;
  // What the rule does not say is as on the first day.
  if (frequency === 'WEEKLY' || weeks.length > 0) return weekdayOf(day) === weekdayOf(start);
  const first = dateOf(start);
  if (dayOfMonth !== first.getUTCDate()) return false;
  return frequency === 'MONTHLY' || months.length > 0 || month === first.getUTCMonth();
}

function isWeekday({ weekday, nth }: IcsWeekday, day: number, within: [number, number]): boolean {
  if (weekdayOf(day) !== weekday) return false;
  if (nth === 0) return true;
  const [first, last] = within;
  return nth > 0
    ? Math.floor((day - first) / 7) + 1 === nth
    : Math.floor((last - day) / 7) + 1 === -nth;
}

/** The first day of the week that a day lies in. */
function weekOf(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}

/** Week one is the first that has four days in the year. */
function firstWeek(year: number, weekStart: number): number {
  return weekOf(dayNumber(year, 0, 4), weekStart);
}

function weekYearOf(day: number, weekStart: number): number {
  const year = dateOf(day).getUTCFullYear();
  if (day >= firstWeek(year + 1, weekStart)) return year + 1;
  return day < firstWeek(year, weekStart) ? year - 1 : year;
}
