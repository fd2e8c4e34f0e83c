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
  NAME_PATTERN,
  type Page,
  type Schedule,
  type ScheduleChange,
  type ScheduleDefinition,
} from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { getTenant } from '../../api/tenants.ts';
import { ApiError, type Caller, type NodeContext } from '../../context.ts';
import { calendarNamed } from '../calendars/calendar-named.ts';
import { jobHeads } from '../job-heads.ts';
import type { Expected } from '../jobs.ts';
import { operation } from '../operation.ts';
import { noJob, shown } from '../refusals.ts';
import { fromStored, iso, toStored } from './schedule-definition.ts';
import { nextWindows } from './windows-of.ts';

const NAME = new RegExp(NAME_PATTERN);
const KIND = 'schedule';
/** Writers of one schedule that keep overtaking each other; the last of them is told. */
const TRIES = 5;
/** Windows that are shown before and after an edit. */
const SHOWN = 3;

export interface SavedSchedule {
  readonly schedule: Schedule;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** The same words for an absent schedule and another tenant's. */
export function noSchedule(name: string): ApiError {
  return new ApiError('not_found', `no schedule has the name ${shown(name)}`);
}

/** Saves a schedule or changes it; the answer says what the change means for its windows. */
export const saveSchedule = operation(
  async (
    context,
    caller,
    params: { name: string; definition: ScheduleDefinition; expected?: Expected },
  ): Promise<SavedSchedule> => {
    const { name, expected } = params;
    const next = await savingNext(context, caller, params);
    return change(context, caller, { name, ...expected, next });
  },
);

/** What saving the schedule would do, with every check, and nothing of it done. */
export const checkSchedule = operation(
  async (
    context,
    caller,
    params: { name: string; definition: ScheduleDefinition },
  ): Promise<Checked<ScheduleDefinition>> => {
    const { name } = params;
    const next = await savingNext(context, caller, params);
    const current = await context.store.getDefinition({ tenant: caller.tenant, kind: KIND, name });
    const live = current === null || current.deleted ? null : bodyOf(current);
    const wanted = next(current) as Stored | null;
    const after = fromStored(wanted ?? (live as Stored));
    if (live === null) return { outcome: 'created', version: 0, after };
    const outcome = wanted === null ? 'unchanged' : 'changed';
    return { outcome, version: current?.version ?? 0, before: fromStored(live), after };
  },
);

async function savingNext(
  context: NodeContext,
  caller: Caller,
  params: { name: string; definition: ScheduleDefinition; expected?: Expected },
): Promise<Next> {
  const { name, definition, expected } = params;
  if (!NAME.test(name)) {
    throw new ApiError('invalid', `${shown(name)} is no name for a schedule`, { field: 'name' });
  }
  const job = await jobHeads(context.loop).newest(caller.tenant, definition.job);
  if (job === null) throw noJob(definition.job);
  const tenant = await getTenant(context.store, caller.tenant);
  const jitterMsMin = tenant?.definition.jitterMsMin ?? 0;
  const calendar =
    typeof definition.calendar === 'string'
      ? await calendarNamed(context, caller, definition.calendar)
      : definition.calendar;
  return (current) => {
    const live = current === null || current.deleted ? null : current;
    if (expected?.absent && live !== null) {
      throw new ApiError('precondition_failed', `the schedule ${shown(name)} is already there`);
    }
    const was = live && bodyOf(live);
    if (was !== null && was.job !== definition.job) {
      const message = `it belongs to the job ${shown(was.job)}; make another one for another job`;
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
  const { paused } = params;
  const next: Next = (current) => {
    if (current === null || current.deleted) throw noSchedule(params.name);
    const { paused: was, ...body } = bodyOf(current);
    if ((was === true) === paused) return null;
    return paused ? { ...body, paused: true } : body;
  };
  return (await change(context, caller, { ...params, next })).schedule;
}

/** Windows that were due before the deletion are still decided; its runs and history stay. */
export const deleteSchedule = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Schedule> => {
    const next: Next = (current) => {
      if (current === null || current.deleted) throw noSchedule(params.name);
      return 'delete';
    };
    return (await change(context, caller, { ...params, next })).schedule;
  },
);

export const getSchedule = operation(
  async (context, caller, params: { name: string }): Promise<Schedule> =>
    show(context, await readSchedule(context, caller, params.name)),
);

export const listSchedules = operation(
  async (
    context,
    caller,
    params: { after?: string; limit?: number; deleted?: boolean },
  ): Promise<Page<Schedule>> => {
    const limit = params.limit ?? 100;
    const found = await context.store.listDefinitions({
      tenant: caller.tenant,
      kind: KIND,
      after: params.after ?? null,
      limit: limit + 1,
      includeDeleted: params.deleted ?? false,
    });
    const items = found.slice(0, limit).map((definition) => show(context, definition));
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.name } : { items };
  },
);

/** The newest version, also of a deleted one. */
export async function readSchedule(
  { store }: NodeContext,
  { tenant }: Caller,
  name: string,
): Promise<Definition> {
  if (!NAME.test(name)) throw noSchedule(name);
  const found = await store.getDefinition({ tenant, kind: KIND, name });
  if (found === null) throw noSchedule(name);
  return found;
}

type Next = (current: Definition | null) => Stored | 'delete' | null;

/** Reads, decides, writes under the version that was read, and tells the owner before it answers. */
async function change(
  context: NodeContext,
  caller: Caller,
  params: { name: string; next: Next } & Expected,
): Promise<SavedSchedule> {
  const { store, loop } = context;
  const key = { tenant: caller.tenant, kind: KIND, name: params.name };
  if (!NAME.test(params.name)) throw noSchedule(params.name);
  for (let tries = 0; tries < TRIES; tries++) {
    const current = await store.getDefinition(key);
    requireVersion(params.version, current);
    const wanted = params.next(current);
    if (wanted === null) {
      return { schedule: show(context, current as Definition), outcome: 'unchanged' };
    }
    const base = { ...key, expectedVersion: current?.version ?? 0, author: caller.key };
    const result =
      wanted === 'delete'
        ? await store.deleteDefinition(base)
        : await store.putDefinition({ ...base, body: JSON.stringify(wanted) });
    if (result.kind === 'conflict') continue;
    const written = (await store.getDefinition({ ...key, version: result.version })) as Definition;
    await loop.schedules.adopt(written);
    const created = current === null || current.deleted;
    const schedule = show(context, written);
    if (created) return { schedule, outcome: 'created' };
    return { schedule: { ...schedule, change: changeOf(current, written) }, outcome: 'changed' };
  }
  throw new ApiError('conflict', `the schedule ${shown(params.name)} is being changed by others`);
}

function requireVersion(expected: number | undefined, current: Definition | null): void {
  if (expected === undefined || current?.version === expected) return;
  const is = current === null ? 'there is none' : `it has version ${current.version}`;
  throw new ApiError('precondition_failed', `version ${expected} was expected, ${is}`);
}

function changeOf(before: Definition, after: Definition): ScheduleChange {
  const [was, is] = [bodyOf(before), bodyOf(after)];
  const fields = new Set([...Object.keys(was), ...Object.keys(is)]);
  const differs = (field: string) =>
    !isDeepStrictEqual(was[field as keyof Stored], is[field as keyof Stored]);
  return {
    fields: after.deleted ? ['deleted'] : [...fields].filter(differs).sort(),
    from: iso(after.atMs),
    nextBefore: upcoming(before, after.atMs),
    nextAfter: upcoming(after, after.atMs),
  };
}

function upcoming(definition: Definition, after: number): string[] {
  const spec = scheduleSpec(bodyOf(definition));
  if (definition.deleted || spec.paused) return [];
  return nextWindows(spec, after, SHOWN).map(iso);
}

function bodyOf(definition: Definition): Stored {
  return JSON.parse(definition.body) as Stored;
}

/** The schedule as its owner has it; null where that is another node. */
export function liveSchedule(context: NodeContext, definition: Definition): LiveSchedule | null {
  const { tenant, name } = definition;
  const partition = partitionOf(tenant, bodyOf(definition).job, context.partitions);
  const book = context.loop.engine.core.books.get(partition);
  if (book === undefined || !context.loop.owns(partition)) return null;
  return book.schedules.get(scheduleKey(tenant, name)) ?? null;
}

export function show(context: NodeContext, definition: Definition): Schedule {
  const stored = bodyOf(definition);
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
