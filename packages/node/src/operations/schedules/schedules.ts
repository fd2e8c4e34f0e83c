import { isDeepStrictEqual } from 'node:util';
import {
  type Schedule as LiveSchedule,
  partitionOf,
  type ScheduleDefinition as Stored,
  scheduleKey,
  scheduleSpec,
} from '@signalbox/engine';
import {
  parseDuration,
  type Schedule,
  type ScheduleChange,
  type ScheduleDefinition,
} from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { noJob, shown } from '../../errors/refusals.ts';
import type { Expected } from '../common/expected.ts';
import { iso } from '../common/read-time.ts';
import { definedKind, type Prepared, type Saved } from '../definitions/defined-kind.ts';
import {
  bodyOf,
  liveBody,
  type Named,
  type Next,
  readNamed,
  unlessEqual,
} from '../definitions/named-definitions.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { getTenant } from '../tenants/tenants.ts';
import { calendarNamed, findCalendar } from './calendar-named.ts';
import { fromStored, toStored } from './schedule-definition.ts';
import { nextWindows } from './windows-of.ts';

const KIND = 'schedule';
/** Windows that are shown before and after an edit. */
const SHOWN = 3;

export type SavedSchedule = Saved<'schedule', Schedule>;

interface SaveParams {
  readonly name: string;
  readonly definition: ScheduleDefinition;
  readonly expected?: Expected;
  /** The job is created before the schedule is saved. */
  readonly isJobNew?: boolean;
}

const named = (name: string): Named => ({ kind: KIND, name });

const schedules = definedKind({
  kind: KIND,
  show,
  fromStored,
  prepare: async (
    context,
    caller,
    request: SaveParams,
  ): Promise<Prepared<Stored, SavedSchedule>> => {
    const { name, definition } = request;
    const next = await savingNext(context, caller, request);
    if (typeof definition.calendar !== 'string') return { next };
    const { calendar } = definition;
    // The calendar may have been saved meanwhile, by a request that did not find this schedule yet.
    const afterSave = async (saved: SavedSchedule): Promise<SavedSchedule> => {
      const updated = await updateCalendar(context, caller, { name, calendar });
      return updated === null ? saved : { ...updated, outcome: saved.outcome };
    };
    return { next, afterSave };
  },
  // The owner of the schedule learns of the change before the response.
  apply: ({ loop }, definition) => loop.schedules.adopt(definition),
  effectOf: (before, now) => ({ change: changeOf(before, now) }),
});

export const {
  save: saveSchedule,
  check: checkSchedule,
  get: getSchedule,
  list: listSchedules,
  pause: pauseSchedule,
  resume: resumeSchedule,
  /** Windows that were due before the deletion are still decided. */
  remove: deleteSchedule,
} = schedules;

/** Bounds concurrent changes of a calendar; the last of them updates its schedules. */
const UPDATE_TRIES = 5;

/**
 * Copies the current days of a calendar into a schedule; null if the schedule has them. Changes only the days, in the
 * newest version. Reads again after saving: if a calendar and a schedule are saved concurrently, the last reader
 * sees both.
 */
export async function updateCalendar(
  context: NodeContext,
  caller: Caller,
  params: { name: string; calendar: string },
): Promise<SavedSchedule | null> {
  let saved: SavedSchedule | null = null;
  for (let tries = 0; tries < UPDATE_TRIES; tries++) {
    const calendar = await findCalendar(context, caller, params.calendar);
    if (calendar === null) return saved;
    const next: Next<Stored> = (current) => {
      const was = liveBody<Stored>(named(params.name), current);
      if (was?.when.kind !== 'cron' || was.when.calendar?.name !== calendar.name) return null;
      if (isDeepStrictEqual(was.when.calendar, calendar)) return null;
      return { ...was, when: { ...was.when, calendar } };
    };
    const changed = await schedules.change(context, caller, { name: params.name, next });
    if (changed.outcome === 'unchanged') return saved;
    saved = changed;
  }
  throw new ApiError(
    'conflict',
    `other requests are changing the calendar ${shown(params.calendar)}; retry`,
  );
}

async function savingNext(
  context: NodeContext,
  caller: Caller,
  params: SaveParams,
): Promise<Next<Stored>> {
  const { name, definition, expected } = params;
  if (params.isJobNew !== true) {
    const job = await jobHeads(context.loop).newest(caller.tenant, definition.job);
    if (job === null) throw noJob(definition.job);
  }
  const tenant = await getTenant(context.store, caller.tenant);
  const jitterMsMin = parseDuration(tenant?.definition.minJitter ?? 0);
  const calendar =
    typeof definition.calendar === 'string'
      ? await calendarNamed(context, caller, definition.calendar)
      : definition.calendar;
  return (current) => {
    const was = liveBody<Stored>(named(name), current, expected);
    if (was !== null && was.job !== definition.job) {
      const message = `the schedule belongs to the job ${shown(was.job)}; create another schedule for another job`;
      throw new ApiError('invalid', message, { field: 'definition.job' });
    }
    const now = was?.when.kind === 'interval' ? was.when.anchorAt : context.loop.time.now();
    const paused = was?.paused === true;
    const body = toStored(definition, { now, jitterMsMin, paused, calendar });
    return unlessEqual(was, body);
  };
}

/** The newest version, also of a deleted one. */
export function readSchedule(
  context: NodeContext,
  caller: Caller,
  name: string,
): Promise<Definition> {
  return readNamed(context, caller, named(name));
}

function changeOf(before: Definition, after: Definition): ScheduleChange {
  const [was, is] = [bodyOf<Stored>(before), bodyOf<Stored>(after)];
  const fields = new Set([...Object.keys(was), ...Object.keys(is)]);
  const differs = (field: string) =>
    !isDeepStrictEqual(was[field as keyof Stored], is[field as keyof Stored]);
  return {
    fields: after.deleted ? ['deleted'] : [...fields].filter(differs).map(publicField).sort(),
    from: iso(after.atMs),
    nextBefore: upcoming(before, after.atMs),
    nextAfter: upcoming(after, after.atMs),
  };
}

/** What the author calls a field of the stored form. */
function publicField(stored: string): string {
  return PUBLIC_FIELDS[stored] ?? stored;
}

const PUBLIC_FIELDS: Readonly<Record<string, string>> = {
  class: 'priority',
  jitterMs: 'jitter',
  graceMs: 'startingDeadline',
  runsMax: 'maxRuns',
};

function upcoming(definition: Definition, after: number): string[] {
  const spec = scheduleSpec(bodyOf<Stored>(definition));
  if (definition.deleted || spec.paused) return [];
  return nextWindows(spec, after, SHOWN).map(iso);
}

/** The schedule as its owner has it; null where that is another node. */
export function liveSchedule(context: NodeContext, definition: Definition): LiveSchedule | null {
  const { tenant, name } = definition;
  const partition = partitionOf(tenant, bodyOf<Stored>(definition).job, context.partitions);
  const book = context.loop.engine.core.books.get(partition);
  if (book === undefined || !context.loop.owns(partition)) return null;
  return book.schedules.get(scheduleKey(tenant, name)) ?? null;
}

export function show(context: NodeContext, definition: Definition): Schedule {
  const stored = bodyOf<Stored>(definition);
  const spec = scheduleSpec(stored);
  const live = liveSchedule(context, definition);
  const now = context.loop.time.now();
  const isOver = spec.runsMax !== null && live !== null && live.firedCount >= spec.runsMax;
  const [next] = isOver ? [] : nextWindows(spec, live?.decidedUpTo ?? now, 1);
  const state = definition.deleted
    ? 'deleted'
    : spec.paused
      ? 'paused'
      : next === undefined
        ? 'ended'
        : 'active';
  return {
    name: definition.name,
    version: definition.version,
    state,
    definition: fromStored(stored),
    author: definition.author,
    at: iso(definition.atMs),
    next: state === 'active' && next !== undefined ? iso(next) : null,
  };
}
