import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { Instant, InstantInput, Name, wordOf } from './common.ts';
import { durationIn, inRange } from './in-range.ts';
import { Priority } from './priority.ts';

const closed = { additionalProperties: false } as const;
const DATES_MAX = 1_000;
const Day = Type.String({ maxLength: 32 });

export const CalendarDays = Type.Object(
  {
    weekdaysOnly: Type.Optional(Type.Boolean()),
    blackouts: Type.Optional(Type.Array(Day, { maxItems: DATES_MAX })),
    open: Type.Optional(Type.Array(Day, { maxItems: DATES_MAX })),
  },
  closed,
);

export const CatchUpPolicy = Type.Object(
  {
    maxWindows: Type.Optional(inRange('catchUp.maxWindows')),
    maxAge: Type.Optional(durationIn('catchUp.maxAge')),
    order: Type.Optional(wordOf(['newest', 'oldest'])),
  },
  closed,
);

/** It names one of `cron`, `every` and `runAt`; everything else has a default. */
export const ScheduleDefinition = Type.Object(
  {
    job: Name,
    cron: Type.Optional(Type.String({ maxLength: 512 })),
    /** IANA name. Default: UTC. */
    timezone: Type.Optional(Type.String({ maxLength: 64 })),
    dstGap: Type.Optional(wordOf(['shift', 'skip'])),
    dstOverlap: Type.Optional(wordOf(['first', 'last', 'both'])),
    /** Closed days, or the name of a saved calendar that has them. */
    calendar: Type.Optional(Type.Union([CalendarDays, Name])),
    every: Type.Optional(durationIn('schedule.every')),
    anchorAt: Type.Optional(InstantInput),
    runAt: Type.Optional(InstantInput),
    jitter: Type.Optional(durationIn('schedule.jitter')),
    /** A window that could start no earlier than this long after its time was missed. */
    startingDeadline: Type.Optional(durationIn('schedule.startingDeadline')),
    catchUp: Type.Optional(CatchUpPolicy),
    overlap: Type.Optional(wordOf(['allow', 'skip', 'queueOne', 'queueAll', 'replace'])),
    afterPause: Type.Optional(wordOf(['next', 'catchUp'])),
    startAt: Type.Optional(InstantInput),
    endAt: Type.Optional(InstantInput),
    maxRuns: Type.Optional(inRange('schedule.maxRuns')),
    priority: Type.Optional(Priority),
    /** What every run gets as its input; a string `${…}` in it is CEL over `window` (`at`, `schedule`, `kind`). */
    input: Type.Optional(Type.Unknown()),
  },
  closed,
);

/** What an edit means for the windows: nothing before `from` is repeated, nothing is lost. */
export const ScheduleChange = Type.Object({
  fields: Type.Array(Type.String()),
  from: Instant,
  nextBefore: Type.Array(Instant),
  nextAfter: Type.Array(Instant),
});

export const Schedule = Type.Object({
  name: Name,
  version: Type.Integer(),
  state: wordOf(['active', 'paused', 'ended', 'deleted']),
  definition: ScheduleDefinition,
  author: Type.String(),
  at: Instant,
  /** The next window and when it is to start; null where there is none. */
  next: Type.Union([Instant, Type.Null()]),
  change: Type.Optional(ScheduleChange),
});

export const TimelineEntry = Type.Object({
  window: Instant,
  /** The last window of a range that was skipped at once. */
  until: Type.Optional(Instant),
  state: wordOf(['planned', 'held', 'fired', 'caughtUp', 'backfilled', 'skipped']),
  planned: Type.Optional(Instant),
  lateMs: Type.Optional(Type.Integer()),
  run: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  /** How many windows were skipped; absent where there were too many to count. */
  count: Type.Optional(Type.Integer()),
});

export const Backfill = Type.Object(
  {
    from: InstantInput,
    until: InstantInput,
    /** Windows without a run, unless every window is asked for. */
    only: Type.Optional(wordOf(['missing', 'all'])),
    /** Says what would be made, and makes nothing. */
    dryRun: Type.Optional(Type.Boolean()),
    perMinute: Type.Optional(inRange('backfill.perMinute')),
  },
  closed,
);

export const Backfilled = Type.Object({
  dryRun: Type.Boolean(),
  /** Windows of the range that are over, and those among them that get a run. */
  windows: Type.Integer(),
  missing: Type.Integer(),
  items: Type.Array(Type.Object({ window: Instant, run: Type.Optional(Type.String()) })),
  /** Windows of the range that a paused schedule catches up itself when it is resumed. */
  leftOut: Type.Optional(Type.Integer()),
  /** Windows of the range that had a run already, and which: nothing was made for them. */
  existing: Type.Array(Type.Object({ window: Instant, run: Type.String() })),
});

export const WindowPreview = Type.Object({
  windows: Type.Array(
    Type.Object({ at: Instant, offsetMinutes: Type.Integer(), mark: Type.Optional(Type.String()) }),
  ),
  /** Every clock change from the beginning to the last window. */
  changes: Type.Array(
    Type.Object({
      at: Instant,
      offsetMinutesBefore: Type.Integer(),
      offsetMinutesAfter: Type.Integer(),
    }),
  ),
});

export type CatchUpPolicy = Static<typeof CatchUpPolicy>;
export type ScheduleDefinition = Static<typeof ScheduleDefinition>;
export type ScheduleChange = Static<typeof ScheduleChange>;
export type Schedule = Static<typeof Schedule>;
export type TimelineEntry = Static<typeof TimelineEntry>;
export type Backfill = Static<typeof Backfill>;
export type Backfilled = Static<typeof Backfilled>;
export type WindowPreview = Static<typeof WindowPreview>;
