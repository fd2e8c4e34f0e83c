import {
  BulkAnswer,
  Cursor,
  Priority,
  RUN_TASKS_MAX,
  RunFilter,
  RunView,
  Submitted,
  wordOf,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import {
  approveTask,
  cancelRun,
  cancelRuns,
  changePriority,
  getRun,
  pauseRun,
  reevaluateRun,
  resumeRun,
  retryRun,
  retryRuns,
  STEP_MAX,
  signalTask,
} from '../../operations/index.ts';
import { CHANGE_RUN_ERRORS, RUN_ERRORS } from '../operation-errors.ts';
import { type Route, route } from '../route.ts';
import { BULK_RULES } from '../rules.ts';

const closed = { additionalProperties: false } as const;
const Identified = Type.Object({ id: Type.String({ maxLength: 64 }) });
const Reason = Type.Optional(Type.String({ maxLength: 1_024 }));
const OfTask = Type.Object({
  id: Type.String({ maxLength: 64 }),
  task: Type.String({ maxLength: 256 }),
});
const RetryScope = Type.Optional(
  Type.Union([
    wordOf(['failed', 'all']),
    Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: 1_000 }),
  ]),
);
const FanOutMax = Type.Optional(Type.Integer({ minimum: 1, maximum: RUN_TASKS_MAX }));

const Bulk = Type.Object(
  {
    filter: RunFilter,
    reason: Reason,
    dryRun: Type.Optional(Type.Boolean()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: STEP_MAX })),
    cursor: Type.Optional(Cursor),
  },
  closed,
);

/** Which runs were meant, and how many were changed; each of them also names who asked. */
function bulkNote(body: { filter: RunFilter }, { dryRun, count, done }: BulkAnswer) {
  const after = dryRun ? `dry run: ${count}` : `${done} of ${count}`;
  return { target: JSON.stringify(body.filter).slice(0, 256), after };
}

/** What somebody does to a run that is there, or to a task of it that waits. */
export const changeRunsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/runs/cancel',
    role: 'operator',
    summary: 'Cancels matching runs, a limited number per request; dryRun only counts them',
    rules: BULK_RULES,
    body: Bulk,
    response: { 200: BulkAnswer },
    audit: 'runs.cancel',
    handler: async ({ context, caller, body, note }) => {
      const answer = await cancelRuns(context, caller, body);
      Object.assign(note, bulkNote(body, answer));
      return answer;
    },
  }),
  route({
    method: 'POST',
    url: '/runs/retry',
    role: 'operator',
    summary: 'Retries matching runs, a limited number per request; dryRun only counts them',
    rules: BULK_RULES,
    body: Bulk,
    response: { 200: BulkAnswer },
    audit: 'runs.retry',
    handler: async ({ context, caller, body, note }) => {
      const answer = await retryRuns(context, caller, body);
      Object.assign(note, bulkNote(body, answer));
      return answer;
    },
  }),
  route({
    method: 'POST',
    url: '/runs/:id/cancel',
    role: 'operator',
    summary: 'Cancels a run: running tasks are told to stop, waiting tasks never start',
    params: Identified,
    body: Type.Object({ reason: Reason }, closed),
    response: { 200: RunView },
    errors: CHANGE_RUN_ERRORS,
    audit: 'run.cancel',
    handler: ({ context, caller, params, body }) =>
      cancelRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/retry',
    role: 'operator',
    summary:
      'Retries a run that did not succeed, as a new run that keeps the results of succeeded tasks',
    rules: ['The run has ended and did not succeed; `tasks` names tasks of the run.'],
    params: Identified,
    body: Type.Object({ reason: Reason, tasks: RetryScope }, closed),
    response: { 200: Submitted, 201: Submitted },
    location: ({ id }: { id: string }) => `/runs/${id}`,
    errors: [...RUN_ERRORS, 'overloaded'],
    audit: 'run.retry',
    handler: async ({ context, caller, params, body, reply, note }) => {
      const submitted = await retryRun(context, caller, { ...params, ...body });
      note.after = submitted.id;
      reply.code(submitted.created ? 201 : 200);
      return submitted;
    },
  }),
  route({
    method: 'POST',
    url: '/runs/:id/pause',
    role: 'operator',
    summary: 'Pauses a run: no task starts until it is resumed; running tasks continue',
    params: Identified,
    body: Type.Object({ reason: Reason }, closed),
    response: { 200: RunView },
    errors: CHANGE_RUN_ERRORS,
    audit: 'run.pause',
    handler: ({ context, caller, params, body }) =>
      pauseRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/resume',
    role: 'operator',
    summary: 'Resumes a run and retries its failed tasks; maxFanOut raises the fan-out limit',
    params: Identified,
    body: Type.Object({ reason: Reason, maxFanOut: FanOutMax }, closed),
    response: { 200: RunView },
    errors: CHANGE_RUN_ERRORS,
    audit: 'run.resume',
    handler: ({ context, caller, params, body }) =>
      resumeRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/reevaluate',
    role: 'operator',
    summary: 'Re-evaluates the waiting tasks of a stuck run; has no effect on a healthy run',
    params: Identified,
    body: Type.Object({ reason: Reason }, closed),
    response: { 200: RunView },
    errors: CHANGE_RUN_ERRORS,
    audit: 'run.reevaluate',
    handler: ({ context, caller, params, body }) =>
      reevaluateRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/tasks/:task/approval',
    role: 'operator',
    summary: 'Approves or rejects a task that waits for an approval',
    params: OfTask,
    body: Type.Object(
      {
        decision: wordOf(['approve', 'reject']),
        comment: Type.Optional(Type.String({ maxLength: 4_096 })),
      },
      closed,
    ),
    response: { 200: RunView },
    errors: [...RUN_ERRORS, 'overloaded'],
    audit: 'task.approval',
    handler: ({ context, caller, params, body, note }) => {
      note.after = body.decision;
      return approveTask(context, caller, { ...params, ...body });
    },
  }),
  route({
    method: 'POST',
    url: '/runs/:id/tasks/:task/event',
    role: 'operator',
    summary: 'Delivers the event that a task waits for',
    params: OfTask,
    body: Type.Object({ event: Type.Unknown() }, closed),
    response: { 200: RunView },
    errors: [...RUN_ERRORS, 'overloaded'],
    audit: 'task.event',
    handler: ({ context, caller, params, body }) =>
      signalTask(context, caller, { ...params, event: body.event }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/priority',
    role: 'operator',
    summary: 'Change the priority of a run',
    params: Identified,
    body: Type.Object({ priority: Priority, reason: Reason }, closed),
    response: { 200: RunView },
    errors: CHANGE_RUN_ERRORS,
    audit: 'run.priority',
    handler: async ({ context, caller, params, body, note }) => {
      note.before = (await getRun(context, caller, params)).priority;
      const changed = await changePriority(context, caller, { ...params, ...body });
      note.after = changed.priority;
      return changed;
    },
  }),
];
