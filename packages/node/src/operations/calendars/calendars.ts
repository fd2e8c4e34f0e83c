import {
  type CalendarData,
  parseCalendar,
  type ScheduleDefinition as Stored,
} from '@signalbox/engine';
import type { Calendar, NewCalendar } from '@signalbox/protocol';
import { type Definition, definitionBytes, readPages } from '@signalbox/store';
import { IcsError } from '../../calendars/ics-lines.ts';
import { readIcs } from '../../calendars/read-ics.ts';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { iso } from '../common/read-time.ts';
import { definedKind, type Prepared, type Saved } from '../definitions/defined-kind.ts';
import { liveBody } from '../definitions/named-definitions.ts';
import { updateCalendar } from '../schedules/schedules.ts';

const KIND = 'calendar';
const PAGE = 500;
/** Entries of one calendar: every schedule that uses it carries them. */
const BLACKOUTS_MAX = 1_000;

type SavedCalendar = Saved<'calendar', Calendar>;

interface SaveParams {
  readonly name: string;
  readonly calendar: NewCalendar;
  readonly expected?: Expected;
}

/**
 * Schedules that use a calendar by name contain its days, so that a schedule alone determines its windows. Saving a
 * calendar therefore saves each of them, as an edit that neither drops nor repeats a window. Deleting it changes none.
 */
const calendars = definedKind({
  kind: KIND,
  hidesDeleted: true,
  show: (_context, definition) => show(definition),
  fromStored: (days: CalendarData) => days,
  prepare: async (
    context,
    caller,
    { name, calendar, expected }: SaveParams,
  ): Promise<Prepared<CalendarData, SavedCalendar>> => {
    const { days, imported } = daysOf(calendar, context.loop.time.now());
    return {
      next: (current) => {
        const was = liveBody<CalendarData>({ kind: KIND, name }, current, expected);
        return JSON.stringify(was) === JSON.stringify(days) ? null : days;
      },
      afterSave: async ({ calendar: saved, outcome }) => {
        const schedules = await updateSchedules(context, caller, name);
        const counts = imported === null ? {} : { imported };
        return { calendar: { ...saved, ...counts, schedules }, outcome };
      },
    };
  },
});

export const { get: getCalendar, list: listCalendars, remove: deleteCalendar } = calendars;

export const saveCalendar = operation(
  async (context, caller, params: SaveParams): Promise<Calendar> =>
    (await calendars.save(context, caller, params)).calendar,
);

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

async function updateSchedules(
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
      if ((await updateCalendar(context, caller, { name, calendar })) !== null) saved.push(name);
    }
  }
  return saved;
}

function show({ name, version, body, author, atMs }: Definition): Calendar {
  return { name, version, days: JSON.parse(body) as Calendar['days'], author, at: iso(atMs) };
}
