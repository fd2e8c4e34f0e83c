import type { Calendar } from './calendar.ts';
import type { CronExpression } from './expression.ts';
import type { Zone } from './zone.ts';

/** Local times that a clock change jumps over: once right after the jump, or not at all. */
export const DST_GAPS = ['shift', 'skip'] as const;
export type DstGap = (typeof DST_GAPS)[number];

/** Local times that a clock change repeats: the first time, the last time, or both times. */
export const DST_OVERLAPS = ['first', 'last', 'both'] as const;
export type DstOverlap = (typeof DST_OVERLAPS)[number];

/** Everything that the windows of a cron schedule follow from. */
export interface Cron {
  readonly expression: CronExpression;
  readonly zone: Zone;
  readonly gap: DstGap;
  readonly overlap: DstOverlap;
  /** Windows on its closed days do not exist. */
  readonly calendar: Calendar | null;
}

/**
 * Where the author says nothing about clock changes, a time of the clock like 02:30 fires once on
 * every day: after the gap, and at the first of two. "Every so often" goes on by elapsed time. What
 * the author says holds for every expression, to the letter.
 */
export function cronOf(params: {
  expression: CronExpression;
  zone: Zone;
  gap?: DstGap | undefined;
  overlap?: DstOverlap | undefined;
  calendar?: Calendar | null | undefined;
}): Cron {
  const { expression, zone, gap, overlap, calendar } = params;
  const { isFixedTime } = expression;
  return {
    expression,
    zone,
    gap: gap ?? (isFixedTime ? 'shift' : 'skip'),
    overlap: overlap ?? (isFixedTime ? 'first' : 'both'),
    calendar: calendar ?? null,
  };
}
