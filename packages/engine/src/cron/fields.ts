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

/** Part of a text, and where it begins in the whole expression. */
export interface Piece {
  readonly text: string;
  /** Index of its first character. */
  readonly at: number;
}

/** Why an expression is refused: for the person who wrote it, and for a form that marks the place. */
export interface CronRefusal {
  /** `expression` where no single field is at fault. */
  readonly field: CronField | 'expression';
  /** The character at which the fault begins; the first is 1. */
  readonly position: number;
  readonly message: string;
}

/** Thrown inside the parser and caught at its door: a refusal is an answer, not a failure. */
export class CronRefused extends Error {
  readonly refusal: CronRefusal;

  constructor(field: CronRefusal['field'], at: number, message: string) {
    super(message);
    this.refusal = { field, position: at + 1, message };
  }
}
