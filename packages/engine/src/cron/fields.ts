/** What a cron expression says about one part of a local time, in the order of six fields. */
export const CRON_FIELDS = [
  'second',
  'minute',
  'hour',
  'dayOfMonth',
  'month',
  'dayOfWeek',
] as const;

export type CronField = (typeof CRON_FIELDS)[number];

export interface FieldRange {
  readonly min: number;
  /** The largest value that may be written. */
  readonly max: number;
  /** Where `*` and an open `5/2` end: the week has seven days, although Sunday is 0 and 7. */
  readonly last: number;
  readonly names: ReadonlyMap<string, number>;
}

const NO_NAMES: ReadonlyMap<string, number> = new Map();

export const MONTH_NAMES = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
export const WEEKDAY_NAMES = 'SUN MON TUE WED THU FRI SAT'.split(' ');

export const FIELD_RANGES: Readonly<Record<CronField, FieldRange>> = {
  second: { min: 0, max: 59, last: 59, names: NO_NAMES },
  minute: { min: 0, max: 59, last: 59, names: NO_NAMES },
  hour: { min: 0, max: 23, last: 23, names: NO_NAMES },
  dayOfMonth: { min: 1, max: 31, last: 31, names: NO_NAMES },
  month: {
    min: 1,
    max: 12,
    last: 12,
    names: new Map(MONTH_NAMES.map((name, index) => [name, index + 1])),
  },
  dayOfWeek: {
    min: 0,
    max: 7,
    last: 6,
    names: new Map(WEEKDAY_NAMES.map((name, index) => [name, index])),
  },
};
