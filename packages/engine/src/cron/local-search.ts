import { civilDateOf, dayNumberOf, SECONDS_PER_DAY } from './civil.ts';
import type { CronExpression } from './expression.ts';
import { matchingDays } from './matching-days.ts';

/**
 * The rarest day, a 29 February on one weekday, comes back after 40 years at most. Looking further
 * finds nothing, so the search ends for every input.
 */
const MONTHS_SEARCHED_MAX = 41 * 12;

/**
 * The first matching local time that is not before the given one, both as seconds since 1970 on
 * the wall clock of the zone. Knows nothing of clock changes.
 */
export function nextLocal(expression: CronExpression, from: number): number | undefined {
  const day = Math.floor(from / SECONDS_PER_DAY);
  const { year, month, day: dayOfMonth } = civilDateOf(day);
  const days = matchingDays(expression, year, month) >>> (dayOfMonth - 1);
  let rest = days;
  if ((days & 1) === 1) {
    const time = nextTime(expression, from - day * SECONDS_PER_DAY);
    if (time >= 0) return day * SECONDS_PER_DAY + time;
    rest = days & ~1;
  }
  const found = rest === 0 ? nextMonthDay(expression, year, month) : day + lowestBit(rest);
  return found === undefined ? undefined : found * SECONDS_PER_DAY + nextTime(expression, 0);
}

/** The last matching local time that is not after the given one. */
export function previousLocal(expression: CronExpression, from: number): number | undefined {
  const day = Math.floor(from / SECONDS_PER_DAY);
  const { year, month, day: dayOfMonth } = civilDateOf(day);
  const days = matchingDays(expression, year, month) & (-1 >>> (32 - dayOfMonth));
  const today = 1 << (dayOfMonth - 1);
  if ((days & today) !== 0) {
    const time = previousTime(expression, from - day * SECONDS_PER_DAY);
    if (time >= 0) return day * SECONDS_PER_DAY + time;
  }
  const rest = days & ~today;
  const found =
    rest === 0
      ? previousMonthDay(expression, year, month)
      : day - (dayOfMonth - 1) + highestBit(rest);
  if (found === undefined) return undefined;
  return found * SECONDS_PER_DAY + previousTime(expression, SECONDS_PER_DAY - 1);
}

function nextMonthDay(expression: CronExpression, year: number, month: number): number | undefined {
  for (let ahead = 0; ahead < MONTHS_SEARCHED_MAX; ahead++) {
    const index = month + ahead;
    const inYear = year + Math.floor(index / 12);
    const inMonth = (index % 12) + 1;
    const days = matchingDays(expression, inYear, inMonth);
    if (days !== 0) return dayNumberOf(inYear, inMonth, lowestBit(days) + 1);
  }
  return undefined;
}

function previousMonthDay(
  expression: CronExpression,
  year: number,
  month: number,
): number | undefined {
  for (let back = 0; back < MONTHS_SEARCHED_MAX; back++) {
    const index = year * 12 + month - 2 - back;
    const inYear = Math.floor(index / 12);
    const inMonth = index - inYear * 12 + 1;
    const days = matchingDays(expression, inYear, inMonth);
    if (days !== 0) return dayNumberOf(inYear, inMonth, highestBit(days) + 1);
  }
  return undefined;
}

/** The first matching second of a day that is not before the given one, or -1. */
function nextTime({ hours, minutes, seconds }: CronExpression, from: number): number {
  const hour = Math.floor(from / 3_600);
  const minute = Math.floor(from / 60) % 60;
  const toHour = at(hours.nextFrom, hour);
  if (toHour < 0) return -1;
  if (toHour === hour) {
    const toMinute = at(minutes.nextFrom, minute);
    if (toMinute === minute) {
      const toSecond = at(seconds.nextFrom, from % 60);
      if (toSecond >= 0) return hour * 3_600 + minute * 60 + toSecond;
    }
    const later = toMinute === minute ? at(minutes.nextFrom, minute + 1) : toMinute;
    if (later >= 0) return hour * 3_600 + later * 60 + at(seconds.nextFrom, 0);
  }
  const laterHour = toHour === hour ? at(hours.nextFrom, hour + 1) : toHour;
  if (laterHour < 0) return -1;
  return laterHour * 3_600 + at(minutes.nextFrom, 0) * 60 + at(seconds.nextFrom, 0);
}

/** The last matching second of a day that is not after the given one, or -1. */
function previousTime({ hours, minutes, seconds }: CronExpression, from: number): number {
  const hour = Math.floor(from / 3_600);
  const minute = Math.floor(from / 60) % 60;
  const toHour = at(hours.previousFrom, hour);
  if (toHour < 0) return -1;
  if (toHour === hour) {
    const toMinute = at(minutes.previousFrom, minute);
    if (toMinute === minute) {
      const toSecond = at(seconds.previousFrom, from % 60);
      if (toSecond >= 0) return hour * 3_600 + minute * 60 + toSecond;
    }
    const earlier = toMinute === minute ? at(minutes.previousFrom, minute - 1) : toMinute;
    if (earlier >= 0) return hour * 3_600 + earlier * 60 + at(seconds.previousFrom, 59);
  }
  const earlierHour = toHour === hour ? at(hours.previousFrom, hour - 1) : toHour;
  if (earlierHour < 0) return -1;
  return earlierHour * 3_600 + at(minutes.previousFrom, 59) * 60 + at(seconds.previousFrom, 59);
}

function at(table: Int8Array, index: number): number {
  return table[index] ?? -1;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}
