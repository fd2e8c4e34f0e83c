import { isDeepStrictEqual } from 'node:util';
import {
  type Schedule as LiveSchedule,
  partitionOf,
  type ScheduleDefinition as Stored,
  scheduleKey,
  scheduleSpec,
} from '@signalbox/engine';
import {
  type Checked,
  type Page,
  parseDuration,
  type Schedule,
  type ScheduleChange,
  type ScheduleDefinition,
} from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { noJob, shown } from '../../errors/refusals.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { iso } from '../common/read-time.ts';
import {
  bodyOf,
  changeNamed,
  checkNamed,
  deleted,
  type ListParams,
  listNamed,
  liveBody,
  type Named,
  type Next,
  pausedOrNot,
  readNamed,
  requireName,
} from '../definitions/named-definitions.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { getTenant } from '../tenants/tenants.ts';
import { calendarNamed, findCalendar } from './calendar-named.ts';
import { fromStored, toStored } from './schedule-definition.ts';
import { nextWindows } from './windows-of.ts';

const KIND = 'schedule';
/** Windows that are shown before and after an edit. */
const SHOWN = 3;

export interface SavedSchedule {
  readonly schedule: Schedule;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

const named = (name: string): Named => ({ kind: KIND, name });

/** Saves a schedule or changes it; the answer says what the change means for its windows. */
export const saveSchedule = operation(
  async (
    context,
    caller,
    params: { name: string; definition: ScheduleDefinition; expected?: Expected },
  ): Promise<SavedSchedule> => {
    const { name, definition, expected } = params;
    const next = await savingNext(context, caller, params);
    const saved = await change(context, caller, { name, ...expected, next });
    if (typeof definition.calendar !== 'string') return saved;
    // The calendar may have been saved meanwhile, and its author did not find this schedule yet.
    const followed = await followCalendar(context, caller, { name, calendar: definition.calendar });
    return followed === null ? saved : { ...followed, outcome: saved.outcome };
  },
);

/** Authors of a calendar that keep overtaking each other; the last of them saves its schedules. */
const FOLLOW_TRIES = 5;

/**
 * Gives a schedule the days that its calendar has now; null where it has them. Only the days are
 * changed, on whatever version is there. Looks again after saving: of a calendar and a schedule that
 * are saved at once, the last one to look sees both.
 */
export async function followCalendar(
  context: NodeContext,
  caller: Caller,
  params: { name: string; calendar: string },
): Promise<SavedSchedule | null> {
  let saved: SavedSchedule | null = null;
  for (let tries = 0; tries < FOLLOW_TRIES; tries++) {
    const calendar = await findCalendar(context, caller, params.calendar);
    if (calendar === null) return saved;
    const next: Next<Stored> = (current) => {
      const was = liveBody<Stored>(named(params.name), current);
      if (was?.when.kind !== 'cron' || was.when.calendar?.name !== calendar.name) return null;
      if (isDeepStrictEqual(was.when.calendar, calendar)) return null;
      return { ...was, when: { ...was.when, calendar } };
    };
    const changed = await change(context, caller, { name: params.name, next });
    if (changed.outcome === 'unchanged') return saved;
    saved = changed;
  }
  throw new ApiError(
    'conflict',
    `other requests are changing the calendar ${shown(params.calendar)}; retry`,
  );
}

/** What saving the schedule would do, with every check, and nothing of it done. */
export const checkSchedule = operation(
  async (
    context,
    caller,
    params: { name: string; definition: ScheduleDefinition; isJobNew?: boolean },
  ): Promise<Checked<ScheduleDefinition>> => {
    const next = await savingNext(context, caller, params);
    return checkNamed(context, caller, { ...named(params.name), next, show: fromStored });
  },
);

async function savingNext(
  context: NodeContext,
  caller: Caller,
  params: {
    name: string;
    definition: ScheduleDefinition;
    expected?: Expected;
    /** Its job is created before it is saved. */
    isJobNew?: boolean;
  },
): Promise<Next<Stored>> {
  const { name, definition, expected } = params;
  requireName(named(name));
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
    return was !== null && isDeepStrictEqual(was, JSON.parse(JSON.stringify(body))) ? null : body;
  };
}

export const pauseSchedule = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: true }),
);

export const resumeSchedule = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: false }),
);

async function setPaused(
  context: NodeContext,
  caller: Caller,
  params: { name: string; paused: boolean } & Expected,
): Promise<Schedule> {
  const next = pausedOrNot<Stored>(named(params.name), params.paused);
  return (await change(context, caller, { ...params, next })).schedule;
}

/** Windows that were due before the deletion are still decided; its runs and history stay. */
export const deleteSchedule = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Schedule> =>
    (await change(context, caller, { ...params, next: deleted(named(params.name)) })).schedule,
);

export const getSchedule = operation(
  async (context, caller, params: { name: string }): Promise<Schedule> =>
    show(context, await readSchedule(context, caller, params.name)),
);

export const listSchedules = operation(
  paged(
    'schedules',
    (context, caller, params: ListParams): Promise<Page<Schedule>> =>
      listNamed(context, caller, {
        ...params,
        kind: KIND,
        show: (definition) => show(context, definition),
      }),
  ),
);

/** The newest version, also of a deleted one. */
export function readSchedule(
  context: NodeContext,
  caller: Caller,
  name: string,
): Promise<Definition> {
  return readNamed(context, caller, named(name));
}

/** Told to the owner before it is answered; says what an edit means for the windows. */
async function change(
  context: NodeContext,
  caller: Caller,
  params: { name: string; next: Next<Stored> } & Expected,
): Promise<SavedSchedule> {
  const { before, now, outcome } = await changeNamed(context, caller, { ...params, kind: KIND });
  if (outcome !== 'unchanged') await context.loop.schedules.adopt(now);
  const schedule = show(context, now);
  if (outcome !== 'changed' || before === null) return { schedule, outcome };
  return { schedule: { ...schedule, change: changeOf(before, now) }, outcome };
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
