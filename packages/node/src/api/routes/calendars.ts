import { Calendar, Cursor, Name, NewCalendar, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import {
  deleteCalendar,
  getCalendar,
  listCalendars,
  saveCalendar,
} from '../../operations/index.ts';
import { expectedBy, tagOf } from '../etag.ts';
import { VERSION_HEADERS } from '../request-headers.ts';
import { type Route, route } from '../route.ts';
import { newestVersion, noteVersion } from '../version-note.ts';

const Named = Type.Object({ calendar: Name });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));

export const calendarsRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    url: '/calendars/:calendar',
    role: 'operator',
    summary:
      'Creates or updates a calendar of closed days, also from an iCalendar file; schedules that use it are updated',
    params: Named,
    body: NewCalendar,
    reads: VERSION_HEADERS,
    response: { 200: Calendar },
    versioned: true,
    audit: 'calendar.update',
    handler: async ({ context, caller, params, body, headers, reply, note }) => {
      const { calendar: name } = params;
      const seen = await newestVersion(context, caller, { kind: 'calendar', name });
      const saved = await saveCalendar(context, caller, {
        name,
        calendar: body,
        expected: expectedBy(headers),
      });
      reply.header('etag', tagOf(saved.version));
      note.target = saved.name;
      const outcome = seen === 0 ? 'created' : seen === saved.version ? 'unchanged' : 'changed';
      noteVersion(note, { version: saved.version, outcome });
      return saved;
    },
  }),
  route({
    method: 'GET',
    url: '/calendars',
    role: 'viewer',
    summary: 'Lists the calendars of the tenant by name',
    query: Type.Object(
      { after: Type.Optional(Cursor), limit: Limit },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(Calendar) },
    handler: ({ context, caller, query }) => listCalendars(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/calendars/:calendar',
    role: 'viewer',
    summary: 'Returns a calendar with its closed days',
    params: Named,
    response: { 200: Calendar },
    versioned: true,
    errors: ['not_found'],
    handler: async ({ context, caller, params, reply }) => {
      const calendar = await getCalendar(context, caller, { name: params.calendar });
      reply.header('etag', tagOf(calendar.version));
      return calendar;
    },
  }),
  route({
    method: 'DELETE',
    url: '/calendars/:calendar',
    role: 'operator',
    summary: 'Deletes a calendar; schedules keep their closed days',
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Calendar },
    errors: ['not_found'],
    audit: 'calendar.delete',
    handler: async ({ context, caller, params, headers, note }) => {
      const expected = expectedBy(headers);
      const deleted = await deleteCalendar(context, caller, { name: params.calendar, ...expected });
      note.target = deleted.name;
      // The response is the calendar as it was.
      noteVersion(note, { version: deleted.version + 1, outcome: 'deleted' });
      return deleted;
    },
  }),
];
