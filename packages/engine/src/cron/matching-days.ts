import { dayNumberOf, daysInMonth, weekdayOf } from './civil.ts';
import type { CronExpression, DaysOfMonth, DaysOfWeek } from './expression.ts';

/**
 * The days of a month on which an expression matches; bit 0 is the first. Where both day fields
 * say something, one of them is enough: cron has meant it so from the beginning.
 */
export function matchingDays(expression: CronExpression, year: number, month: number): number {
  const { daysOfMonth, daysOfWeek, months } = expression;
  if (((months >>> (month - 1)) & 1) === 0) return 0;
  const length = daysInMonth(year, month);
  const all = -1 >>> (32 - length);
  if (daysOfMonth.isAny && daysOfWeek.isAny) return all;
  const firstWeekday = weekdayOf(dayNumberOf(year, month, 1));
  const shape = { length, firstWeekday };
  let days = 0;
  if (!daysOfMonth.isAny) days |= byDate(daysOfMonth, shape);
  if (!daysOfWeek.isAny) days |= byWeekday(daysOfWeek, shape);
  return days & all;
}

interface MonthShape {
  readonly length: number;
  /** Of its first day; 0 is Sunday. */
  readonly firstWeekday: number;
}

function byDate(rule: DaysOfMonth, shape: MonthShape): number {
  let { days } = rule;
  for (const before of rule.beforeLast) {
    if (before < shape.length) days |= 1 << (shape.length - 1 - before);
  }
  if (rule.isLastWeekday) days |= 1 << (nearestWeekday(shape.length, shape) - 1);
  const near = rule.nearestWeekdayTo;
  if (near !== null && near <= shape.length) days |= 1 << (nearestWeekday(near, shape) - 1);
  return days;
}

/** Monday to Friday, never in another month: the 1st moves forward, the last day backward. */
function nearestWeekday(day: number, { length, firstWeekday }: MonthShape): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function byWeekday(rule: DaysOfWeek, { length, firstWeekday }: MonthShape): number {
  // The week as it begins in this month, repeated over the month.
  const week = ((rule.weekdays | (rule.weekdays << 7)) >>> firstWeekday) & 0x7f;
  let days = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  for (const { weekday, n } of rule.nth) {
    const day = firstDayOf(weekday, firstWeekday) + (n - 1) * 7;
    if (day <= length) days |= 1 << (day - 1);
  }
  for (const weekday of rule.last) {
    const first = firstDayOf(weekday, firstWeekday);
    days |= 1 << (first + Math.floor((length - first) / 7) * 7 - 1);
  }
  return days;
}

function firstDayOf(weekday: number, firstWeekday: number): number {
  return 1 + ((weekday - firstWeekday + 7) % 7);
}
