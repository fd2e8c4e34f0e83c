import type { IncomingHttpHeaders } from 'node:http';
import {
  BATCH_MAX,
  BATCH_TYPE,
  BatchAnswer,
  ClassName,
  LogLine,
  Name,
  pageOf,
  RUN_TASKS_MAX,
  RunState,
  RunView,
  Submission,
  Submitted,
  TaskState,
  TaskView,
  wordOf,
} from '@signalbox/protocol';
import Type from 'typebox';
import { ApiError } from '../../context.ts';
import {
  approveTask,
  cancelRun,
  changeClass,
  getRun,
  listRuns,
  pauseRun,
  reevaluateRun,
  resumeRun,
  retryRun,
  runInput,
  runLogs,
  runOutput,
  runTasks,
  signalTask,
  submitInARow,
  submitRuns,
} from '../../operations/index.ts';
import { answerBytes } from '../bytes-answer.ts';
import { readBatch } from '../read-batch.ts';
import { type Route, route } from '../route.ts';

const closed = { additionalProperties: false } as const;
const Identified = Type.Object({ id: Type.String({ maxLength: 64 }) });
const Reason = Type.Optional(Type.String({ maxLength: 1_024 }));
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));
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
const TRACE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that the submission belongs to; what is not one is passed over, as the standard asks. */
function traceOf(headers: IncomingHttpHeaders): { trace?: string } {
  const trace = headers['traceparent'];
  return typeof trace === 'string' && TRACE.test(trace) ? { trace } : {};
}

/** The key under which the request may be repeated. */
function keyHeader(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['idempotency-key'];
  return Array.isArray(header) ? header.join() : header;
}

function keyOf(headers: IncomingHttpHeaders, body: Submission): { key?: string } {
  const key = keyHeader(headers);
  if (key === undefined) return {};
  if (body.key !== undefined && body.key !== key) {
    throw new ApiError('bad_request', 'key and the header Idempotency-Key differ', {
      field: 'key',
    });
  }
  return { key };
}

export const runsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/runs',
    role: 'submitter',
    summary: 'Submits a run; answers once it is durable',
    body: Submission,
    response: { 200: Submitted, 201: Submitted },
    submits: true,
    handler: async ({ context, caller, body, headers, reply }) => {
      const items = [{ ...body, ...keyOf(headers, body) }];
      const wanted = { items, single: true, ...traceOf(headers) };
      const [submitted] = await submitRuns(context, caller, wanted);
      reply.code(submitted?.created === true ? 201 : 200);
      return submitted;
    },
  }),
  route({
    method: 'POST',
    url: '/runs/batch',
    role: 'submitter',
    summary: 'Submits up to 1000 runs: all of them, or none if one is not valid',
    body: Type.Object(
      { items: Type.Array(Submission, { minItems: 1, maxItems: BATCH_MAX }) },
      closed,
    ),
    packed: {
      contentType: BATCH_TYPE,
      description:
        'Four bytes with the length of the header, the header as JSON, the inputs. ' +
        'In the answer an item stands for `count` runs, whose ids follow in a row',
    },
    response: { 200: BatchAnswer },
    submits: true,
    handler: async ({ context, caller, body, bytes, headers }) => {
      const key = keyHeader(headers);
      const more = { ...traceOf(headers), ...(key !== undefined && { key }) };
      if (body !== undefined) {
        return { items: await submitRuns(context, caller, { items: body.items, ...more }) };
      }
      const items = await readBatch(bytes);
      return { items: await submitInARow(context, caller, { items, ...more }) };
    },
  }),
  route({
    method: 'GET',
    url: '/runs',
    role: 'viewer',
    summary: 'Runs of the tenant, newest first, without their tasks',
    query: Type.Object(
      {
        job: Type.Optional(Name),
        state: Type.Optional(RunState),
        class: Type.Optional(ClassName),
        cursor: Type.Optional(Type.String({ maxLength: 64 })),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(RunView) },
    handler: ({ context, caller, query }) => listRuns(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/runs/:id',
    role: 'viewer',
    summary:
      'A run with its tasks, up to 1,000; with waitMs, when it has ended or the time is over',
    params: Identified,
    query: Type.Object(
      { waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })) },
      closed,
    ),
    response: { 200: RunView },
    handler: ({ context, caller, params, query }) =>
      getRun(context, caller, { ...params, ...query }),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/tasks',
    role: 'viewer',
    summary: 'The tasks of the run in pages, where one answer does not hold them all',
    params: Identified,
    query: Type.Object(
      {
        cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$' })),
        limit: Limit,
        state: Type.Optional(TaskState),
      },
      closed,
    ),
    response: { 200: pageOf(TaskView) },
    handler: ({ context, caller, params, query }) =>
      runTasks(context, caller, { ...params, ...query }),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/input',
    role: 'viewer',
    summary: 'The bytes that the run was submitted with',
    params: Identified,
    response: { 200: null },
    handler: async ({ context, caller, params, reply }) =>
      answerBytes(reply, await runInput(context, caller, params)),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/output',
    role: 'viewer',
    summary: 'The bytes that the run ended with',
    params: Identified,
    response: { 200: null },
    handler: async ({ context, caller, params, reply }) =>
      answerBytes(reply, await runOutput(context, caller, params)),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/cancel',
    role: 'operator',
    summary: 'Cancels a run: what runs is told to stop, what waits never starts',
    params: Identified,
    body: Type.Object({ reason: Reason }, closed),
    response: { 200: RunView },
    audit: 'run.cancel',
    handler: ({ context, caller, params, body }) =>
      cancelRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/retry',
    role: 'operator',
    summary: 'Tries a run that did not succeed again, as a new run that keeps what had succeeded',
    params: Identified,
    body: Type.Object({ reason: Reason, tasks: RetryScope }, closed),
    response: { 201: Submitted },
    audit: 'run.retry',
    handler: async ({ context, caller, params, body, reply, note }) => {
      const submitted = await retryRun(context, caller, { ...params, ...body });
      note.after = submitted.id;
      reply.code(201);
      return submitted;
    },
  }),
  route({
    method: 'POST',
    url: '/runs/:id/pause',
    role: 'operator',
    summary: 'Holds a run: nothing of it begins until it is resumed, what runs goes on',
    params: Identified,
    body: Type.Object({ reason: Reason }, closed),
    response: { 200: RunView },
    audit: 'run.pause',
    handler: ({ context, caller, params, body }) =>
      pauseRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/resume',
    role: 'operator',
    summary: 'Lets a run go on: what failed is tried again; fanOutMax raises the limit of fan-outs',
    params: Identified,
    body: Type.Object({ reason: Reason, fanOutMax: FanOutMax }, closed),
    response: { 200: RunView },
    audit: 'run.resume',
    handler: ({ context, caller, params, body }) =>
      resumeRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/reevaluate',
    role: 'operator',
    summary:
      'Looks again at everything of a run that waits for nothing; harmless where all is well',
    params: Identified,
    body: Type.Object({ reason: Reason }, closed),
    response: { 200: RunView },
    audit: 'run.reevaluate',
    handler: ({ context, caller, params, body }) =>
      reevaluateRun(context, caller, { ...params, ...body }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/tasks/:task/approval',
    role: 'operator',
    summary: 'Approves or rejects a task that waits for a person',
    params: OfTask,
    body: Type.Object(
      {
        decision: wordOf(['approve', 'reject']),
        comment: Type.Optional(Type.String({ maxLength: 4_096 })),
      },
      closed,
    ),
    response: { 200: RunView },
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
    summary: 'Tells a task that the event has come that it waits for',
    params: OfTask,
    body: Type.Object({ event: Type.Unknown() }, closed),
    response: { 200: RunView },
    audit: 'task.event',
    handler: ({ context, caller, params, body }) =>
      signalTask(context, caller, { ...params, event: body.event }),
  }),
  route({
    method: 'POST',
    url: '/runs/:id/class',
    role: 'operator',
    summary: 'Moves a run to another class',
    params: Identified,
    body: Type.Object({ class: ClassName, reason: Reason }, closed),
    response: { 200: RunView },
    audit: 'run.class',
    handler: async ({ context, caller, params, body, note }) => {
      note.after = body.class;
      return changeClass(context, caller, { ...params, ...body });
    },
  }),
  route({
    method: 'GET',
    url: '/runs/:id/logs',
    role: 'viewer',
    summary: 'What the tasks of the run printed',
    params: Identified,
    query: Type.Object(
      {
        task: Type.Optional(Name),
        attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        after: Type.Optional(Type.String({ maxLength: 64 })),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(LogLine) },
    handler: ({ context, caller, params, query }) =>
      runLogs(context, caller, { ...params, ...query }),
  }),
];
