import { parseCalendar } from '../cron/calendar.ts';
import { cronOf } from '../cron/cron.ts';
import { parseCron } from '../cron/parse.ts';
import { cronWindows, instantWindows, intervalWindows } from '../cron/recurrences.ts';
import type { Zone } from '../cron/zone.ts';
import { assertNever } from '../model/assert.ts';
import type { Recurrence, ScheduleSpec, When } from '../model/schedule.ts';

/** The clocks of a place; handed in, because the engine does not look rules up. */
export type ZoneOf = (name: string) => Zone;

/** The windows of a `When`. Throws where there are none: it is checked before it is saved. */
export function recurrenceOf(when: When, zoneOf: ZoneOf): Recurrence {
  switch (when.kind) {
    case 'cron':
      return cronRecurrence(when, zoneOf);
    case 'interval':
      return intervalWindows(when.everyMs, when.anchorAt);
    case 'instant':
      return instantWindows(when.at);
    default:
      return assertNever(when);
  }
}

function cronRecurrence(when: When & { kind: 'cron' }, zoneOf: ZoneOf): Recurrence {
  const parsed = parseCron(when.expr);
  if (parsed.kind === 'refused') throw new RangeError(parsed.refusal.message);
  const { expression } = parsed;
  const zone = zoneOf(when.zone);
  const days = when.calendar === undefined ? null : parseCalendar(when.calendar);
  if (days?.kind === 'refused') throw new RangeError(days.refusal.message);
  const { dstGap: gap, dstOverlap: overlap } = when;
  return cronWindows(cronOf({ expression, zone, gap, overlap, calendar: days?.calendar ?? null }));
}

const KEPT = 10_000;

/** Many schedules say the same; what was parsed once is shared. */
export function rememberedRecurrences(zoneOf: ZoneOf): (when: When) => Recurrence {
  const known = new Map<string, Recurrence>();
  return (when) => {
    // An interval or an instant is made sooner than it is looked up.
    if (when.kind !== 'cron') return recurrenceOf(when, zoneOf);
    const key = keyOf(when);
    let recurrence = known.get(key);
    if (recurrence === undefined) {
      recurrence = recurrenceOf(when, zoneOf);
      known.set(key, recurrence);
      if (known.size > KEPT) known.delete(known.keys().next().value as string);
    }
    return recurrence;
  };
}

/** Asked for with every window: most say nothing but expression and zone, and neither has a line break. */
function keyOf(when: When & { kind: 'cron' }): string {
  if (when.dstGap || when.dstOverlap || when.calendar) return JSON.stringify(when);
  return `${when.zone}\n${when.expr}`;
}

/** Windows of several versions, one after the other: each has those up to its end. */
export function joined(
  earlier: readonly { readonly recurrence: Recurrence; readonly upTo: number }[],
  last: Recurrence,
): Recurrence {
  return {
    next(at) {
      let from = at;
      for (const { recurrence, upTo } of earlier) {
        if (from >= upTo) continue;
        const window = recurrence.next(from);
        if (window !== null && window <= upTo) return window;
        from = upTo;
      }
      return last.next(from);
    },
    previous(at) {
      let recurrence = last;
      let before = at;
      for (const version of earlier.toReversed()) {
        const window = recurrence.previous(before);
        if (window !== null && window > version.upTo) return window;
        recurrence = version.recurrence;
        before = Math.min(at, version.upTo + 1);
      }
      return recurrence.previous(before);
    },
  };
}

/** The windows that the schedule's first and last instant leave. */
export function bounded(recurrence: Recurrence, spec: ScheduleSpec): Recurrence {
  const { startAt, endAt } = spec;
  if (startAt === null && endAt === null) return recurrence;
  const first = startAt ?? Number.NEGATIVE_INFINITY;
  const last = endAt ?? Number.POSITIVE_INFINITY;
  return {
    next(at) {
      const window = recurrence.next(Math.max(at, first - 1));
      return window === null || window > last ? null : window;
    },
    previous(at) {
      const window = recurrence.previous(Math.min(at, last + 1));
      return window === null || window < first ? null : window;
    },
  };
}
