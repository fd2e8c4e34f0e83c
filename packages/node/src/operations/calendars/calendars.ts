import {
  type CalendarData,
  parseCalendar,
  type ScheduleDefinition as Stored,
} from '@signalbox/engine';
import type { Calendar, NewCalendar, Page } from '@signalbox/protocol';
import { type Definition, definitionBytes, readPages } from '@signalbox/store';
import { IcsError } from '../../calendars/ics-lines.ts';
import { readIcs } from '../../calendars/read-ics.ts';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { iso } from '../common/read-time.ts';
import {
  changeNamed,
  deleted,
  type ListParams,
  listNamed,
  liveBody,
  type Named,
  type Next,
  noneNamed,
  readNamed,
  requireName,
} from '../definitions/named-definitions.ts';
import { followCalendar } from '../schedules/schedules.ts';

const KIND = 'calendar';
const PAGE = 500;
/** Entries of one calendar: every schedule that uses it carries them. */
const BLACKOUTS_MAX = 1_000;

const named = (name: string): Named => ({ kind: KIND, name });

/**
 * Saves a calendar. Schedules that use it by name carry its days, so that their windows follow from
 * what is written in them: each is saved anew, as an edit that drops and repeats no window.
 */
export const saveCalendar = operation(
  async (
    context,
    caller,
    params: { name: string; calendar: NewCalendar; expected?: Expected },
  ): Promise<Calendar> => {
    const { name, expected } = params;
    requireName(named(name));
    const { days, imported } = daysOf(params.calendar, context.loop.time.now());
    const next: Next<CalendarData> = (current) => {
      const was = liveBody<CalendarData>(named(name), current, expected);
      return JSON.stringify(was) === JSON.stringify(days) ? null : days;
    };
    const { now: saved } = await changeNamed(context, caller, {
      ...named(name),
      ...expected,
      next,
    });
    const schedules = await saveUsers(context, caller, name);
    return { ...show(saved), ...(imported === null ? {} : { imported }), schedules };
  },
);

export const getCalendar = operation(
  async (context, caller, params: { name: string }): Promise<Calendar> =>
    show(await readCalendar(context, caller, params.name)),
);

export const listCalendars = operation(
  paged(
    'calendars',
    (context, caller, params: ListParams): Promise<Page<Calendar>> =>
      listNamed(context, caller, { ...params, kind: KIND, show }),
  ),
);

/** Schedules that use it keep the days that they have. */
export const deleteCalendar = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Calendar> => {
    const { name, ...expected } = params;
    const next = deleted(named(name));
    const { before } = await changeNamed(context, caller, { ...named(name), ...expected, next });
    return show(before as Definition);
  },
);

async function readCalendar(
  context: NodeContext,
  caller: Caller,
  name: string,
): Promise<Definition> {
  const found = await readNamed(context, caller, named(name));
  if (found.deleted) throw noneNamed(named(name));
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
    const message = `a calendar can have at most ${BLACKOUTS_MAX} closed days and ranges`;
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
  const query = { tenant: caller.tenant, kind: 'schedule' };
  const pages = readPages<Definition>({
    limit: PAGE,
    bytesOf: definitionBytes,
    read: (after, limits) =>
      context.store.listDefinitions({ ...query, after: after?.name ?? null, ...limits }),
  });
  for await (const page of pages) {
    for (const { name, body, damaged } of page) {
      if (damaged) continue;
      const stored = JSON.parse(body) as Stored;
      if (stored.when.kind !== 'cron' || stored.when.calendar?.name !== calendar) continue;
      if ((await followCalendar(context, caller, { name, calendar })) !== null) saved.push(name);
    }
  }
  return saved;
}

function show({ name, version, body, author, atMs }: Definition): Calendar {
  return { name, version, days: JSON.parse(body) as Calendar['days'], author, at: iso(atMs) };
}
