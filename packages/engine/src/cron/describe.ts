import type { CronExpression, DaysOfMonth, DaysOfWeek } from './expression.ts';
import type { ValueSet } from './value-set.ts';

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const ORDINALS = ['1st', '2nd', '3rd', '4th', '5th'];

/** More times of the clock than these are told by their fields. */
const TIMES_LISTED_MAX = 4;

/** What an expression means, in words: "at 02:30 on Monday to Friday in March". */
export function describeCron(expression: CronExpression): string {
  const { daysOfMonth, daysOfWeek } = expression;
  const days = [
    ...(daysOfMonth.isAny ? [] : datesInWords(daysOfMonth)),
    ...(daysOfWeek.isAny ? [] : weekdaysInWords(daysOfWeek)),
  ];
  const months = members(expression.months, 12);
  return [
    timeInWords(expression),
    days.length === 0 ? 'every day' : `on ${either(days)}`,
    months.length === 12 ? '' : `in ${runs(months, (month) => MONTHS[month] ?? '')}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function timeInWords({ hours, minutes, seconds }: CronExpression): string {
  const count = hours.values.length * minutes.values.length * seconds.values.length;
  if (count <= TIMES_LISTED_MAX) {
    const times = hours.values.flatMap((hour) =>
      minutes.values.flatMap((minute) =>
        seconds.values.map((second) => clockTime(hour, minute, second)),
      ),
    );
    return `at ${listed(times, 'and')}`;
  }
  const isOnTheMinute = seconds.values.length === 1 && seconds.values[0] === 0;
  const isOnTheHour = isOnTheMinute && minutes.values.length === 1 && minutes.values[0] === 0;
  const parts = [
    isOnTheMinute ? '' : everyInWords(seconds, 'second', 60),
    isOnTheHour ? '' : everyInWords(minutes, 'minute', 60),
    everyInWords(hours, 'hour', 24),
  ].filter((part) => part !== '');
  // "every minute of every hour" says no more than "every minute".
  while (/^every (minute|hour)$/.test(parts.at(-1) ?? '') && parts.at(-2)?.startsWith('every ')) {
    parts.pop();
  }
  return parts.join(' of ');
}

function clockTime(hour: number, minute: number, second: number): string {
  const shown = second === 0 ? [hour, minute] : [hour, minute, second];
  return shown.map((part) => String(part).padStart(2, '0')).join(':');
}

/** "every minute", "every 15 minutes", "minute 5, 20 to 25". */
function everyInWords({ values }: ValueSet, unit: string, size: number): string {
  const step = (values[1] ?? size) - (values[0] ?? 0);
  const isEven = values.every((value, index) => value === index * step);
  if (isEven && values.length > 1 && values.length === Math.ceil(size / step)) {
    return step === 1 ? `every ${unit}` : `every ${step} ${unit}s`;
  }
  return `${unit} ${runs(values, String)}`;
}

function datesInWords(rule: DaysOfMonth): readonly string[] {
  const days = members(rule.days, 31);
  return [
    ...(days.length === 0 ? [] : [`day ${runs(days, (day) => String(day + 1))} of the month`]),
    ...rule.beforeLast.map((before) =>
      before === 0 ? 'the last day of the month' : `day ${before} before the last of the month`,
    ),
    ...(rule.isLastWeekday ? ['the last weekday of the month'] : []),
    ...(rule.nearestWeekdayTo === null
      ? []
      : [`the weekday nearest to day ${rule.nearestWeekdayTo} of the month`]),
  ];
}

function weekdaysInWords(rule: DaysOfWeek): readonly string[] {
  const weekdays = members(rule.weekdays, 7);
  const nameOf = (weekday: number): string => WEEKDAYS[weekday] ?? '';
  return [
    ...(weekdays.length === 0 ? [] : [runs(weekdays, nameOf)]),
    ...rule.nth.map(({ weekday, n }) => `the ${ORDINALS[n - 1]} ${nameOf(weekday)} of the month`),
    ...rule.last.map((weekday) => `the last ${nameOf(weekday)} of the month`),
  ];
}

function either(parts: readonly string[]): string {
  return listed(parts, 'or on');
}

function members(mask: number, size: number): readonly number[] {
  return Array.from({ length: size }, (_, bit) => bit).filter((bit) => ((mask >>> bit) & 1) === 1);
}

/** Three or more neighbours become "from to". */
function runs(values: readonly number[], nameOf: (value: number) => string): string {
  const parts: string[] = [];
  for (let at = 0; at < values.length; ) {
    const first = values[at] ?? 0;
    let length = 1;
    while (values[at + length] === first + length) length++;
    if (length >= 3) parts.push(`${nameOf(first)} to ${nameOf(first + length - 1)}`);
    else for (let next = 0; next < length; next++) parts.push(nameOf(first + next));
    at += length;
  }
  return listed(parts, 'and');
}

function listed(parts: readonly string[], word: string): string {
  if (parts.length <= 1) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;
}
