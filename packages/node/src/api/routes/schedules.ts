import {
  Backfill,
  Backfilled,
  Cursor,
  checkedOf,
  Name,
  pageOf,
  Schedule,
  ScheduleDefinition,
  Submitted,
  TimelineEntry,
  WindowPreview,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import {
  backfillSchedule,
  checkSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  previewSchedule,
  resumeSchedule,
  type SavedSchedule,
  saveSchedule,
  scheduleTimeline,
  triggerSchedule,
} from '../../operations/index.ts';
import { expectedBy, tagOf } from '../etag.ts';
import { keyHeader } from '../key-header.ts';
import { VERSION_HEADERS } from '../request-headers.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { SCHEDULE_RULES } from '../rules.ts';
import { newestVersion, noteVersion } from '../version-note.ts';

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ schedule: Name });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));
/** Of operations that submit runs of the schedule's job. */
const RUN_NOW_ERRORS = ['not_found', 'job_paused', 'overloaded', 'not_owner'] as const;
const Text = Type.Optional(Type.String({ maxLength: 512 }));

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'reply' | 'note'>;

function answerSaved({ reply, note }: Request, { schedule, outcome }: SavedSchedule): Schedule {
  note.target = schedule.name;
  noteVersion(note, { version: schedule.version, outcome });
  reply.code(outcome === 'created' ? 201 : 200).header('etag', tagOf(schedule.version));
  return schedule;
}

function changing(
  action: 'pause' | 'resume',
  summary: string,
  change: typeof pauseSchedule,
): Route {
  return route({
    method: 'POST',
    url: `/schedules/:schedule/${action}`,
    role: 'operator',
    summary,
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Schedule },
    versioned: true,
    errors: ['not_found'],
    audit: `schedule.${action}`,
    handler: async ({ context, caller, params, headers, reply, note }) => {
      const { schedule: name } = params;
      const seen = await newestVersion(context, caller, { kind: 'schedule', name });
      const schedule = await change(context, caller, { name, ...expectedBy(headers) });
      noteVersion(note, { version: schedule.version, outcome: schedule.state, seen });
      reply.header('etag', tagOf(schedule.version));
      return schedule;
    },
  });
}

export const schedulesRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/schedules',
    role: 'operator',
    summary: 'Create a schedule; 409 if the name exists',
    rules: SCHEDULE_RULES,
    body: Type.Object({ name: Name, definition: ScheduleDefinition }, closed),
    reads: VERSION_HEADERS,
    response: { 201: Schedule },
    versioned: true,
    location: ({ name }: { name: string }) => `/schedules/${name}`,
    errors: ['quota_exceeded', 'not_found', 'invalid_schedule'],
    audit: 'schedule.create',
    handler: async (request) => {
      const { context, caller, body, headers } = request;
      const wanted = { ...body, expected: { ...expectedBy(headers), isNew: true } };
      return answerSaved(request, await saveSchedule(context, caller, wanted));
    },
  }),
  route({
    method: 'PUT',
    url: '/schedules/:schedule',
    role: 'operator',
    summary:
      'Creates or updates a schedule and returns the effect on its windows; If-Match names the expected version',
    rules: SCHEDULE_RULES,
    params: Named,
    body: ScheduleDefinition,
    reads: VERSION_HEADERS,
    response: { 200: Schedule, 201: Schedule },
    versioned: true,
    errors: ['quota_exceeded', 'not_found', 'invalid_schedule'],
    audit: 'schedule.update',
    handler: async (request) => {
      const { context, caller, params, body: definition, headers } = request;
      const wanted = { name: params.schedule, definition, expected: expectedBy(headers) };
      return answerSaved(request, await saveSchedule(context, caller, wanted));
    },
  }),
  route({
    method: 'POST',
    url: '/schedules/:schedule/check',
    role: 'viewer',
    summary: 'Validates a schedule and returns what saving it would change; saves nothing',
    rules: SCHEDULE_RULES,
    params: Named,
    query: Type.Object({ newJob: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    body: ScheduleDefinition,
    response: { 200: checkedOf(ScheduleDefinition) },
    errors: ['not_found', 'invalid_schedule'],
    handler: ({ context, caller, params, query, body }) =>
      checkSchedule(context, caller, {
        name: params.schedule,
        definition: body,
        isJobNew: query.newJob === true,
      }),
  }),
  route({
    method: 'GET',
    url: '/schedules',
    role: 'viewer',
    summary: 'Lists the schedules of the tenant by name',
    query: Type.Object(
      { after: Type.Optional(Cursor), limit: Limit, deleted: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: { 200: pageOf(Schedule) },
    handler: ({ context, caller, query }) => listSchedules(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/schedules/:schedule',
    role: 'viewer',
    summary:
      'Returns the newest version of a schedule, including a deleted one, and its next window',
    params: Named,
    response: { 200: Schedule },
    versioned: true,
    errors: ['not_found'],
    handler: async ({ context, caller, params, reply }) => {
      const schedule = await getSchedule(context, caller, { name: params.schedule });
      reply.header('etag', tagOf(schedule.version));
      return schedule;
    },
  }),
  changing('pause', 'Pauses a schedule; existing runs continue', pauseSchedule),
  changing(
    'resume',
    'Resumes a schedule from its next window; catches up if its policy says so',
    resumeSchedule,
  ),
  route({
    method: 'DELETE',
    url: '/schedules/:schedule',
    role: 'operator',
    summary: 'Deletes a schedule; its versions, runs and history remain',
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Schedule },
    errors: ['not_found'],
    audit: 'schedule.delete',
    handler: async ({ context, caller, params, headers, note }) => {
      const { schedule: name } = params;
      const schedule = await deleteSchedule(context, caller, { name, ...expectedBy(headers) });
      noteVersion(note, { version: schedule.version, outcome: 'deleted' });
      return schedule;
    },
  }),
  route({
    method: 'GET',
    url: '/schedules/:schedule/timeline',
    role: 'viewer',
    summary:
      'Lists windows, last decided first: planned, fired with lateness, skipped with the reason',
    params: Named,
    query: Type.Object({ after: Type.Optional(Cursor), limit: Limit }, closed),
    response: { 200: pageOf(TimelineEntry) },
    errors: ['not_found', 'bad_request', 'not_owner'],
    handler: ({ context, caller, params, query }) =>
      scheduleTimeline(context, caller, { name: params.schedule, ...query }),
  }),
  route({
    method: 'POST',
    url: '/schedules/:schedule/trigger',
    role: 'operator',
    summary: "Starts a run of the schedule's job now, without using a window",
    params: Named,
    response: { 201: Submitted },
    location: ({ id }: { id: string }) => `/runs/${id}`,
    errors: RUN_NOW_ERRORS,
    audit: 'schedule.trigger',
    handler: async ({ context, caller, params, reply, note }) => {
      const submitted = await triggerSchedule(context, caller, { name: params.schedule });
      note.after = `run ${submitted.id}`;
      reply.code(201);
      return submitted;
    },
  }),
  route({
    method: 'POST',
    url: '/schedules/:schedule/backfill',
    role: 'operator',
    summary:
      'Creates runs for past windows: those without a run, or all; dryRun only counts; repeating it with the same Idempotency-Key completes it',
    rules: ['`until` is not before `from`, and the range has a limited number of windows.'],
    params: Named,
    body: Backfill,
    reads: ['Idempotency-Key'],
    response: { 200: Backfilled },
    errors: RUN_NOW_ERRORS,
    audit: 'schedule.backfill',
    handler: async ({ context, caller, params, body, headers, note }) => {
      const key = keyHeader(headers);
      const wanted = { ...body, name: params.schedule, ...(key === undefined ? {} : { key }) };
      const done = await backfillSchedule(context, caller, wanted);
      note.after = done.dryRun ? 'dry run' : `${done.items.length} runs`;
      return done;
    },
  }),
  route({
    method: 'GET',
    url: '/schedule-preview',
    role: 'viewer',
    summary: 'Returns the next windows of an expression before it is saved, with clock changes',
    rules: ['The expression, the time zone and the instants are valid.'],
    query: Type.Object(
      {
        expr: Type.String({ maxLength: 512 }),
        timezone: Text,
        from: Text,
        until: Text,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
        dstGap: Text,
        dstOverlap: Text,
      },
      closed,
    ),
    response: { 200: WindowPreview },
    errors: ['invalid_schedule'],
    handler: ({ context, caller, query }) => previewSchedule(context, caller, query),
  }),
];
