import {
  Backfill,
  Backfilled,
  Cursor,
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
  saveSchedule,
  scheduleTimeline,
  triggerSchedule,
} from '../../operations/index.ts';
import { definitionRoutes, Limit } from '../definition-routes.ts';
import { keyHeader } from '../key-header.ts';
import { type Route, route } from '../route.ts';
import { SCHEDULE_RULES } from '../rules.ts';

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ schedule: Name });
/** Of operations that submit runs of the schedule's job. */
const RUN_NOW_ERRORS = ['not_found', 'job_paused', 'overloaded', 'not_owner'] as const;
const Text = Type.Optional(Type.String({ maxLength: 512 }));

const schedules = definitionRoutes({
  kind: 'schedule',
  View: Schedule,
  Definition: ScheduleDefinition,
  rules: SCHEDULE_RULES,
  errors: ['not_found', 'invalid_schedule'],
  hasJob: true,
  save: saveSchedule,
  check: checkSchedule,
  get: getSchedule,
  list: listSchedules,
  remove: deleteSchedule,
  summaries: {
    create: 'Create a schedule; 409 if the name exists',
    update:
      'Creates or updates a schedule and returns the effect on its windows; If-Match names the expected version',
    get: 'Returns the newest version of a schedule, including a deleted one, and its next window',
    remove: 'Deletes a schedule; its versions, runs and history remain',
  },
});

export const schedulesRoutes: readonly Route[] = [
  schedules.create,
  schedules.update,
  schedules.check,
  schedules.list,
  schedules.get,
  schedules.changing('pause', 'Pauses a schedule; existing runs continue', pauseSchedule),
  schedules.changing(
    'resume',
    'Resumes a schedule from its next window; catches up if its policy says so',
    resumeSchedule,
  ),
  schedules.remove,
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
