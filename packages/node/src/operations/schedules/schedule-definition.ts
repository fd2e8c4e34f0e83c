import {
  type CalendarData,
  CLASSES,
  parseCalendar,
  parseCron,
  type ScheduleDefinition as Stored,
  type When,
} from '@signalbox/engine';
import type {
  CatchUpPolicy,
  Duration,
  DurationName,
  ScheduleDefinition,
} from '@signalbox/protocol';
import { INPUT_CHARS_MAX, templateProblem } from '../../cel/window-input.ts';
import { ApiError } from '../../errors/api-error.ts';
import { findZone } from '../../zones/index.ts';
import { classOfPriority } from '../common/priority-class.ts';
import { iso, msOf, instantOf as readInstant, shownDuration } from '../common/read-time.ts';

function bad(field: string, message: string): ApiError {
  return new ApiError('invalid', message, { field: `definition.${field}` });
}

/** Checks a definition and makes of it what the engine reads. Nothing is saved that could never fire. */
export function toStored(
  definition: ScheduleDefinition,
  about: { now: number; jitterMsMin: number; paused: boolean; calendar: CalendarData | undefined },
): Stored {
  const { job, jitter = 0, startingDeadline, overlap, afterPause, maxRuns, input } = definition;
  const priority = classOfPriority(definition.priority, (message) => bad('priority', message));
  const text = input === undefined ? null : JSON.stringify(input);
  if (text !== null) checkInput(text, about.now);
  const startAt = instantOf(definition, 'startAt');
  const endAt = instantOf(definition, 'endAt');
  if (startAt !== null && endAt !== null && endAt < startAt) {
    throw bad('endAt', 'endAt must not be before startAt');
  }
  return {
    job,
    when: whenOf(definition, about),
    ...(about.paused ? { paused: true } : {}),
    // A tenant's own minimum holds whatever is asked for (TRG-11), and is seen in what is stored.
    jitterMs: Math.max(read('schedule.jitter', 'jitter', jitter), about.jitterMsMin),
    ...(startingDeadline === undefined
      ? {}
      : { graceMs: read('schedule.startingDeadline', 'startingDeadline', startingDeadline) }),
    ...(definition.catchUp === undefined ? {} : { catchUp: storedCatchUp(definition.catchUp) }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(afterPause === undefined ? {} : { afterPause }),
    ...(startAt === null ? {} : { startAt }),
    ...(endAt === null ? {} : { endAt }),
    ...(maxRuns === undefined ? {} : { runsMax: maxRuns }),
    ...(priority === null ? {} : { class: priority }),
    ...(text === null ? {} : { input: text }),
  };
}

/** The input may be a template with expressions over `window`. */
function checkInput(text: string, now: number): void {
  if (text.length > INPUT_CHARS_MAX) {
    throw bad('input', `the input of a schedule exceeds ${INPUT_CHARS_MAX} characters`);
  }
  const window = { at: now, schedule: 'name', kind: 'scheduled' } as const;
  const problem = templateProblem(text, window);
  if (problem !== null) throw bad(problem.field, problem.message);
}

function read(name: DurationName, field: string, value: Duration): number {
  return msOf(name, { field, value }, bad);
}

type StoredCatchUp = NonNullable<Stored['catchUp']>;

function storedCatchUp({ maxWindows, maxAge, order }: CatchUpPolicy): StoredCatchUp {
  return {
    ...(maxWindows === undefined ? {} : { windowsMax: maxWindows }),
    ...(maxAge === undefined ? {} : { ageMsMax: read('catchUp.maxAge', 'catchUp.maxAge', maxAge) }),
    ...(order === undefined ? {} : { order }),
  };
}

function shownCatchUp({ windowsMax, ageMsMax, order }: StoredCatchUp): CatchUpPolicy {
  return {
    ...(windowsMax === undefined ? {} : { maxWindows: windowsMax }),
    ...(ageMsMax === undefined ? {} : { maxAge: shownDuration(ageMsMax) }),
    ...(order === undefined ? {} : { order }),
  };
}

function instantOf(
  definition: ScheduleDefinition,
  field: 'startAt' | 'endAt' | 'anchorAt' | 'runAt',
): number | null {
  const text = definition[field];
  return text === undefined ? null : readInstant(field, text, bad);
}

interface About {
  readonly now: number;
  /** The closed days that are meant, also where the definition only names them. */
  readonly calendar: CalendarData | undefined;
}

function whenOf(definition: ScheduleDefinition, { now, calendar }: About): When {
  const { cron, every, runAt } = definition;
  const named = [cron, every, runAt].filter((each) => each !== undefined);
  if (named.length !== 1)
    throw bad('cron', 'a schedule needs exactly one of cron, every and runAt');
  if (cron !== undefined) return cronOf(definition, cron, calendar);
  for (const field of ['timezone', 'dstGap', 'dstOverlap', 'calendar'] as const) {
    if (definition[field] !== undefined) throw bad(field, `${field} is for cron only`);
  }
  if (runAt !== undefined) {
    return { kind: 'instant', at: instantOf(definition, 'runAt') as number };
  }
  const anchorAt = instantOf(definition, 'anchorAt') ?? now - (now % 1_000);
  return {
    kind: 'interval',
    everyMs: read('schedule.every', 'every', every as Duration),
    anchorAt,
  };
}

function cronOf(
  definition: ScheduleDefinition,
  expr: string,
  calendar: CalendarData | undefined,
): When {
  const { timezone: zone = 'UTC', dstGap, dstOverlap } = definition;
  const parsed = parseCron(expr);
  if (parsed.kind === 'refused') {
    const field = 'definition.cron';
    throw new ApiError('invalid_schedule', parsed.refusal.message, { field });
  }
  if (findZone(zone) === null) throw bad('timezone', `${JSON.stringify(zone)} is no time zone`);
  if (calendar !== undefined) {
    const days = parseCalendar(calendar);
    if (days.kind === 'refused') throw bad(`calendar.${days.refusal.field}`, days.refusal.message);
  }
  return {
    kind: 'cron',
    expr,
    zone,
    ...(dstGap === undefined ? {} : { dstGap }),
    ...(dstOverlap === undefined ? {} : { dstOverlap }),
    ...(calendar === undefined ? {} : { calendar }),
  };
}

/** What is stored, as its author would write it. */
export function fromStored(stored: Stored): ScheduleDefinition {
  const {
    when,
    paused: _paused,
    startAt,
    endAt,
    runsMax,
    class: priority,
    input,
    ...more
  } = stored;
  const { jitterMs, graceMs, catchUp, ...same } = more;
  return {
    ...same,
    ...(jitterMs === undefined ? {} : { jitter: shownDuration(jitterMs) }),
    ...(graceMs === undefined ? {} : { startingDeadline: shownDuration(graceMs) }),
    ...(catchUp === undefined ? {} : { catchUp: shownCatchUp(catchUp) }),
    ...timesOf(when),
    ...(startAt == null ? {} : { startAt: iso(startAt) }),
    ...(endAt == null ? {} : { endAt: iso(endAt) }),
    ...(runsMax == null ? {} : { maxRuns: runsMax }),
    ...(priority == null ? {} : { priority: CLASSES[priority] }),
    ...(input == null ? {} : { input: JSON.parse(input) as unknown }),
  };
}

function timesOf(when: When): Partial<ScheduleDefinition> {
  switch (when.kind) {
    case 'cron': {
      const { expr: cron, zone, dstGap, dstOverlap, calendar } = when;
      return {
        cron,
        timezone: zone,
        ...(dstGap === undefined ? {} : { dstGap }),
        ...(dstOverlap === undefined ? {} : { dstOverlap }),
        ...(calendar === undefined
          ? {}
          : { calendar: calendar.name ?? (calendar as ScheduleDefinition['calendar'] & object) }),
      };
    }
    case 'interval':
      return { every: shownDuration(when.everyMs), anchorAt: iso(when.anchorAt) };
    case 'instant':
      return { runAt: iso(when.at) };
  }
}
