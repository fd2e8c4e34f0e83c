import type { DaysOfMonth, DaysOfWeek } from './expression.ts';
import { parseItem, parseValue, quoted, twoDigits } from './parse-item.ts';
import { CronRefused, type Piece } from './refusal.ts';

const DAYS_BEFORE_LAST_MAX = 30;

/** Besides numbers: `L`, `L-3`, `LW`, `15W`, `?`. */
export function parseDaysOfMonth(items: readonly Piece[]): DaysOfMonth {
  let days = 0;
  const beforeLast: number[] = [];
  let isLastWeekday = false;
  let nearestWeekdayTo: number | null = null;
  for (const item of items) {
    const upper = item.text.toUpperCase();
    const isWeekday = upper.endsWith('W');
    if (isWeekday && items.length > 1) {
      throw new CronRefused('dayOfMonth', item.at, `${quoted(item)} cannot be part of a list`);
    }
    if (upper === 'LW') isLastWeekday = true;
    else if (isWeekday) {
      const text = item.text.slice(0, -1);
      nearestWeekdayTo = parseValue('dayOfMonth', { text, at: item.at });
    } else if (upper === 'L') beforeLast.push(0);
    else if (upper.startsWith('L-')) beforeLast.push(parseBeforeLast(item));
    else if (isAnyDay(items)) days = -1 >>> 1;
    else for (const day of parseItem('dayOfMonth', item)) days |= 1 << (day - 1);
  }
  return { isAny: isAnyDay(items), days, beforeLast, isLastWeekday, nearestWeekdayTo };
}

function parseBeforeLast(item: Piece): number {
  const count = twoDigits(item.text.slice(2));
  if (count === undefined || count > DAYS_BEFORE_LAST_MAX) {
    throw new CronRefused(
      'dayOfMonth',
      item.at + 2,
      `${quoted(item)} needs a number of days before the last day, from 0 to ${DAYS_BEFORE_LAST_MAX}`,
    );
  }
  return count;
}

/** Besides numbers and names: `5L`, `FRI#2`, `?`. */
export function parseDaysOfWeek(items: readonly Piece[]): DaysOfWeek {
  let weekdays = 0;
  const nth: { weekday: number; n: number }[] = [];
  const last: number[] = [];
  for (const item of items) {
    const hash = item.text.indexOf('#');
    if (isAnyDay(items)) weekdays = 0x7f;
    else if (hash >= 0) {
      const weekday = parseWeekday({ text: item.text.slice(0, hash), at: item.at });
      const count = item.text.slice(hash + 1);
      if (!/^[1-5]$/.test(count)) {
        throw new CronRefused(
          'dayOfWeek',
          item.at + hash + 1,
          `${quoted(item)} needs a number from 1 to 5 after #, for the week of the month`,
        );
      }
      nth.push({ weekday, n: Number(count) });
    } else if (/^.+L$/i.test(item.text)) {
      last.push(parseWeekday({ text: item.text.slice(0, -1), at: item.at }));
    } else for (const day of parseItem('dayOfWeek', item)) weekdays |= 1 << (day % 7);
  }
  return { isAny: isAnyDay(items), weekdays, nth, last };
}

function parseWeekday(piece: Piece): number {
  return parseValue('dayOfWeek', piece) % 7;
}

/** A star with step 1 restricts nothing, and so leaves the choice to the other field. */
function isAnyDay(items: readonly Piece[]): boolean {
  return items.length === 1 && ['*', '?', '*/1'].includes(items[0]?.text ?? '');
}
