import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { Instant, Name } from './common.ts';
import { CalendarDays } from './schedules.ts';

/** Closed days, written down or taken from the all-day events of an iCalendar file, or both. */
export const NewCalendar = Type.Object(
  {
    ...CalendarDays.properties,
    /** The text of an .ics file: its days are added to `blackouts`. */
    ics: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  },
  { additionalProperties: false },
);

export const Calendar = Type.Object({
  name: Name,
  version: Type.Integer(),
  days: CalendarDays,
  author: Type.String(),
  at: Instant,
  /** What was found in an iCalendar file; events with a time of day close nothing. */
  imported: Type.Optional(Type.Object({ events: Type.Integer(), timed: Type.Integer() })),
  /** Schedules that use it and were updated with its days. */
  schedules: Type.Optional(Type.Array(Type.String())),
});

export type NewCalendar = Static<typeof NewCalendar>;
export type Calendar = Static<typeof Calendar>;
