import {
  type CalendarData,
  parseCalendar,
  type ScheduleDefinition as Stored,
} from '@signalbox/engine';
import { type Calendar, NAME_PATTERN, type NewCalendar, type Page } from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { IcsError } from '../../calendars/ics-lines.ts';
import { readIcs } from '../../calendars/read-ics.ts';
import { ApiError, type Caller, type NodeContext } from '../../context.ts';
import { operation } from '../operation.ts';
import { shown } from '../refusals.ts';
import { fromStored, iso } from '../schedules/schedule-definition.ts';
import { saveSchedule } from '../schedules/schedules.ts';

const NAME = new RegExp(NAME_PATTERN);
const KIND = 'calendar';
const PAGE = 500;
/** Entries of one calendar: every schedule that uses it carries them. */
const BLACKOUTS_MAX = 1_000;

function noCalendar(name: string): ApiError {
  return new ApiError('not_found', `no calendar has the name ${shown(name)}`);
}

/**
 * Saves a calendar. Schedules that use it by name carry its days, so that their windows follow from
 * what is written in them: each is saved anew, as an edit that drops and repeats no window.
 */
export const saveCalendar = operation(
  async (context, caller, params: { name: string; calendar: NewCalendar }): Promise<Calendar> => {
    const { name } = params;
    if (!NAME.test(name)) {
      throw new ApiError('invalid', `${shown(name)} is no name for a calendar`, { field: 'name' });
    }
    const { days, imported } = daysOf(params.calendar, context.loop.time.now());
    const key = { tenant: caller.tenant, kind: KIND, name };
    const current = await context.store.getDefinition(key);
    const body = JSON.stringify(days);
    const isSame = current !== null && !current.deleted && current.body === body;
    if (!isSame) {
      const base = { ...key, expectedVersion: current?.version ?? 0, author: caller.key };
      const result = await context.store.putDefinition({ ...base, body });
      if (result.kind === 'conflict') {
        throw new ApiError('conflict', `the calendar ${shown(name)} is being changed by others`);
      }
    }
    const saved = (await context.store.getDefinition(key)) as Definition;
    const schedules = await saveUsers(context, caller, name);
    return { ...show(saved), ...(imported === null ? {} : { imported }), schedules };
  },
);

export const getCalendar = operation(
  async (context, caller, params: { name: string }): Promise<Calendar> =>
    show(await readCalendar(context, caller, params.name)),
);

export const listCalendars = operation(
  async (context, caller, params: { after?: string; limit?: number }): Promise<Page<Calendar>> => {
    const limit = params.limit ?? 100;
    const query = { tenant: caller.tenant, kind: KIND, after: params.after ?? null };
    const found = await context.store.listDefinitions({ ...query, limit: limit + 1 });
    const items = found.slice(0, limit).map(show);
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.name } : { items };
  },
);

/** Schedules that use it keep the days that they have. */
export const deleteCalendar = operation(
  async (context, caller, params: { name: string }): Promise<Calendar> => {
    const current = await readCalendar(context, caller, params.name);
    const key = { tenant: caller.tenant, kind: KIND, name: params.name };
    const base = { ...key, expectedVersion: current.version, author: caller.key };
    const result = await context.store.deleteDefinition(base);
    if (result.kind === 'conflict') {
      throw new ApiError(
        'conflict',
        `the calendar ${shown(params.name)} is being changed by others`,
      );
    }
    return show(current);
  },
);

async function readCalendar(
  { store }: NodeContext,
  { tenant }: Caller,
  name: string,
): Promise<Definition> {
  const found = NAME.test(name) ? await store.getDefinition({ tenant, kind: KIND, name }) : null;
  if (found === null || found.deleted) throw noCalendar(name);
  return found;
}

function daysOf(
  { ics, ...written }: NewCalendar,
  nowMs: number,
): { days: CalendarData; imported: { events: number; timed: number } | null } {
  if (ics === undefined) return { days: checked(written), imported: null };
  try {
    const { blackouts, events, timed } = readIcs(ics, nowMs);
    const all = [...new Set([...(written.blackouts ?? []), ...blackouts])];
    return { days: checked({ ...written, blackouts: all }), imported: { events, timed } };
  } catch (error) {
    if (error instanceof IcsError) throw new ApiError('invalid', error.message, { field: 'ics' });
    throw error;
  }
}

function checked(days: CalendarData): CalendarData {
  if ((days.blackouts?.length ?? 0) > BLACKOUTS_MAX) {
    const message = `a calendar has at most ${BLACKOUTS_MAX} closed days or ranges`;
    throw new ApiError('invalid', message, { field: 'blackouts' });
  }
  const parsed = parseCalendar(days);
  if (parsed.kind === 'parsed') return days;
  throw new ApiError('invalid', parsed.refusal.message, { field: parsed.refusal.field });
}

async function saveUsers(
  context: NodeContext,
  caller: Caller,
  calendar: string,
): Promise<string[]> {
  const saved: string[] = [];
  const query = { tenant: caller.tenant, kind: 'schedule', limit: PAGE };
  for (let after: string | null = null; ; ) {
    const page: Definition[] = await context.store.listDefinitions({ ...query, after });
    for (const { name, body } of page) {
      const stored = JSON.parse(body) as Stored;
      if (stored.when.kind !== 'cron' || stored.when.calendar?.name !== calendar) continue;
      const { outcome } = await saveSchedule(context, caller, {
        name,
        definition: fromStored(stored),
      });
      if (outcome === 'changed') saved.push(name);
    }
    after = page.at(-1)?.name ?? null;
    if (page.length < PAGE || after === null) return saved;
  }
}

function show({ name, version, body, author, atMs }: Definition): Calendar {
  return { name, version, days: JSON.parse(body) as Calendar['days'], author, at: iso(atMs) };
}
