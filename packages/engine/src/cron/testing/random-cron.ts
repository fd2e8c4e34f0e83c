import type { seededRandom } from '../../model/random.ts';
import { MONTH_NAMES, WEEKDAY_NAMES } from '../fields.ts';

type Random = ReturnType<typeof seededRandom>;

/** An expression together with what it means, told without the parser and without the search. */
export interface RandomCron {
  readonly text: string;
  readonly isFixedTime: boolean;
  /** Takes minutes since 1970 on the wall clock. */
  matches(wall: number): boolean;
}

interface Part {
  readonly text: string;
  readonly matches: (value: number) => boolean;
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly length: number;
}

const ANY: Part = { text: '*', matches: () => true };

export function randomCron(random: Random): RandomCron {
  const minute = chance(random, 3) ? listOfTimes(random, 59) : times(random, 59);
  const hour = chance(random, 3) ? listOfTimes(random, 23) : times(random, 23);
  const month = chance(random, 6) ? months(random) : ANY;
  const date = chance(random, 4) ? dates(random) : null;
  const weekday = chance(random, 4) ? weekdays(random) : null;
  const onDay = (day: Day): boolean => {
    if (!month.matches(day.month)) return false;
    if (date === null && weekday === null) return true;
    return date?.matches(day) === true || weekday?.matches(day) === true;
  };
  const known = new Map<number, boolean>();
  return {
    text: [minute.text, hour.text, date?.text ?? '*', month.text, weekday?.text ?? '?'].join(' '),
    isFixedTime: !/[*/-]/.test(minute.text + hour.text),
    matches(wall) {
      const dayNumber = Math.floor(wall / 1_440);
      if (!minute.matches(wall % 60) || !hour.matches(Math.floor(wall / 60) % 24)) return false;
      const isOn = known.get(dayNumber) ?? onDay(dayOf(dayNumber));
      known.set(dayNumber, isOn);
      return isOn;
    },
  };
}

function dayOf(dayNumber: number): Day {
  const date = new Date(dayNumber * 86_400_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return { year, month: month + 1, day: date.getUTCDate(), weekday: date.getUTCDay(), length };
}

function chance(random: Random, oneIn: number): boolean {
  return random.int(oneIn) === 0;
}

function listOfTimes(random: Random, max: number): Part {
  const values = Array.from({ length: 1 + random.int(4) }, () => random.int(max + 1));
  return { text: values.join(','), matches: (value) => values.includes(value) };
}

function times(random: Random, max: number): Part {
  const from = random.int(max);
  const to = from + 1 + random.int(max - from);
  const step = 1 + random.int(Math.min(20, max));
  const parts: readonly Part[] = [
    ANY,
    { text: `*/${step}`, matches: (value) => value % step === 0 },
    { text: `${from}-${to}`, matches: (value) => value >= from && value <= to },
    {
      text: `${from}-${to}/${step}`,
      matches: (value) => value >= from && value <= to && (value - from) % step === 0,
    },
    {
      text: `${from}/${step}`,
      matches: (value) => value >= from && (value - from) % step === 0,
    },
  ];
  return pick(random, parts);
}

function months(random: Random): Part {
  const first = 1 + random.int(12);
  const last = first + random.int(13 - first);
  const text = `${MONTH_NAMES[first - 1]}-${last}`;
  return { text, matches: (month) => month >= first && month <= last };
}

type DayPart = { readonly text: string; readonly matches: (day: Day) => boolean };

function dates(random: Random): DayPart {
  const n = 1 + random.int(28);
  const before = random.int(5);
  const parts: readonly DayPart[] = [
    { text: `${n}`, matches: ({ day }) => day === n },
    { text: `${n}-31/2`, matches: ({ day }) => day >= n && (day - n) % 2 === 0 },
    { text: 'L', matches: ({ day, length }) => day === length },
    { text: `L-${before}`, matches: ({ day, length }) => day === length - before },
    { text: 'LW', matches: (day) => day.day === workdays(day).at(-1) },
    { text: `${n}W`, matches: (day) => day.day === nearest(workdays(day), n) },
    { text: `${n},L`, matches: ({ day, length }) => day === n || day === length },
  ];
  return pick(random, parts);
}

function weekdays(random: Random): DayPart {
  const first = random.int(7);
  const last = first + random.int(7 - first);
  const n = 1 + random.int(4);
  const name = WEEKDAY_NAMES[first];
  const parts: readonly DayPart[] = [
    { text: `${name}`, matches: ({ weekday }) => weekday === first },
    { text: `${first}-${last}`, matches: ({ weekday }) => weekday >= first && weekday <= last },
    {
      text: `${name}#${n}`,
      matches: ({ weekday, day }) => weekday === first && Math.ceil(day / 7) === n,
    },
    {
      text: `${first}L`,
      matches: ({ weekday, day, length }) => weekday === first && day + 7 > length,
    },
    { text: '7', matches: ({ weekday }) => weekday === 0 },
  ];
  return pick(random, parts);
}

/** Days of the month from Monday to Friday. */
function workdays({ length, weekday, day }: Day): number[] {
  const all = Array.from({ length }, (_, index) => index + 1);
  return all.filter((each) => ((((weekday + each - day) % 7) + 7) % 7) % 6 !== 0);
}

function nearest(days: readonly number[], n: number): number {
  return days.reduce((best, day) => (Math.abs(day - n) < Math.abs(best - n) ? day : best));
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.int(items.length)] as Item;
}
