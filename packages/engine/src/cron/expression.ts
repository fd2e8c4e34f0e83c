import type { ValueSet } from './value-set.ts';

/** A parsed cron expression: which local times match, without zone or policy. */
export interface CronExpression {
  readonly text: string;
  readonly seconds: ValueSet;
  readonly minutes: ValueSet;
  readonly hours: ValueSet;
  /** Bit 0 is January. */
  readonly months: number;
  readonly daysOfMonth: DaysOfMonth;
  readonly daysOfWeek: DaysOfWeek;
  /**
   * Second, minute and hour are single values or lists of them: it means times of the clock, like 02:30.
   * Stars, ranges and steps mean "every so often", which a clock change neither adds to nor takes
   * from.
   */
  readonly isFixedTime: boolean;
}

export interface DaysOfMonth {
  /** `*` or `?`: leaves the choice to the day of the week. */
  readonly isAny: boolean;
  /** Bit 0 is the first. */
  readonly days: number;
  /** Days before the last one: 0 for `L`, 3 for `L-3`. */
  readonly beforeLast: readonly number[];
  /** `LW`. */
  readonly isLastWeekday: boolean;
  /** 15 for `15W`. */
  readonly nearestWeekdayTo: number | null;
}

export interface DaysOfWeek {
  /** `*` or `?`: leaves the choice to the day of the month. */
  readonly isAny: boolean;
  /** Bit 0 is Sunday. */
  readonly weekdays: number;
  /** `FRI#2`: the second Friday of the month. */
  readonly nth: readonly { readonly weekday: number; readonly n: number }[];
  /** `5L`: the last Friday of the month. */
  readonly last: readonly number[];
}
