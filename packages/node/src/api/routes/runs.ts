import type { IncomingHttpHeaders } from 'node:http';
import {
  BATCH_MAX,
  BATCH_TYPE,
  BatchAnswer,
  Cursor,
  durationIn,
  LogLine,
  Name,
  pageOf,
  RUN_FILTER_FIELDS,
  RunView,
  Submission,
  Submitted,
  TaskState,
  TaskView,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { ApiError } from '../../errors/api-error.ts';
import { msOf } from '../../operations/common/read-time.ts';
import {
  getRun,
  listRuns,
  runInput,
  runLogs,
  runOutput,
  runTasks,
  submitInARow,
  submitRuns,
} from '../../operations/index.ts';
import { answerBytes } from '../bytes-answer.ts';
import { keyHeader } from '../key-header.ts';
import { RUN_ERRORS, SUBMIT_ERRORS } from '../operation-errors.ts';
import { readBatch } from '../read-batch.ts';
import { type Route, route } from '../route.ts';
import { SUBMISSION_RULES } from '../rules.ts';

const closed = { additionalProperties: false } as const;
const Identified = Type.Object({ id: Type.String({ maxLength: 64 }) });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));
const TRACE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that the submission belongs to; what is not one is passed over, as the standard asks. */
function traceOf(headers: IncomingHttpHeaders): { trace?: string } {
  const trace = headers['traceparent'];
  return typeof trace === 'string' && TRACE.test(trace) ? { trace } : {};
}

function keyOf(headers: IncomingHttpHeaders, body: Submission): { idempotencyKey?: string } {
  const key = keyHeader(headers);
  if (key === undefined) return {};
  const { idempotencyKey } = body;
  if (idempotencyKey !== undefined && idempotencyKey !== key) {
    throw new ApiError(
      'bad_request',
      'idempotencyKey and the header Idempotency-Key differ; send one of them',
      {
        field: 'idempotencyKey',
      },
    );
  }
  return { idempotencyKey: key };
}

export const runsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/runs',
    role: 'submitter',
    summary: 'Submits a run; responds when the run is durable',
    rules: SUBMISSION_RULES,
    body: Submission,
    reads: ['Idempotency-Key'],
    response: { 200: Submitted, 201: Submitted, 202: Submitted },
    location: ({ id }: { id: string }) => `/runs/${id}`,
    errors: [...SUBMIT_ERRORS, 'locked_field'],
    submits: true,
    handler: async ({ context, caller, body, headers, reply }) => {
      const items = [{ ...body, ...keyOf(headers, body) }];
      const wanted = { items, single: true, ...traceOf(headers) };
      const [submitted] = await submitRuns(context, caller, wanted);
      if (submitted?.pending) reply.code(202);
      else reply.code(submitted?.created === true ? 201 : 200);
      return submitted;
    },
  }),
  route({
    method: 'POST',
    url: '/runs/batch',
    role: 'submitter',
    summary: 'Submits up to 1000 runs; if one is invalid, none is created',
    rules: [
      ...SUBMISSION_RULES,
      'The inputs of one batch are limited to 64 MiB in total, not counting blobs.',
    ],
    body: Type.Object(
      { items: Type.Array(Submission, { minItems: 1, maxItems: BATCH_MAX }) },
      closed,
    ),
    packed: {
      contentType: BATCH_TYPE,
      description:
        'Four bytes with the length of the header, then the header as JSON, then the inputs. ' +
        'In the response, an item stands for `count` runs with consecutive ids',
    },
    reads: ['Idempotency-Key'],
    response: { 200: BatchAnswer },
    errors: [...SUBMIT_ERRORS, 'locked_field'],
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
    summary: 'Lists matching runs of the tenant, newest first, without their tasks',
    query: Type.Object(
      {
        ...RUN_FILTER_FIELDS,
        cursor: Type.Optional(Cursor),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(RunView) },
    errors: ['bad_request'],
    handler: ({ context, caller, query }) => listRuns(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/runs/:id',
    role: 'viewer',
    summary:
      'Returns a run with up to 1,000 tasks; with `wait`, when the run has ended or the time is over',
    params: Identified,
    query: Type.Object({ wait: Type.Optional(durationIn('run.wait')) }, closed),
    waits: true,
    response: { 200: RunView },
    errors: RUN_ERRORS,
    handler: ({ context, caller, params, query }) =>
      getRun(context, caller, {
        ...params,
        ...(query.wait === undefined
          ? {}
          : { waitMs: msOf('run.wait', { field: 'wait', value: query.wait }) }),
      }),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/tasks',
    role: 'viewer',
    summary: 'Lists the tasks of a run in pages',
    params: Identified,
    query: Type.Object(
      {
        cursor: Type.Optional(Cursor),
        limit: Limit,
        state: Type.Optional(TaskState),
      },
      closed,
    ),
    response: { 200: pageOf(TaskView) },
    errors: RUN_ERRORS,
    handler: ({ context, caller, params, query }) =>
      runTasks(context, caller, { ...params, ...query }),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/input',
    role: 'viewer',
    summary: 'Returns the input of the run as bytes',
    params: Identified,
    response: { 200: null },
    contentType: 'application/octet-stream',
    errors: RUN_ERRORS,
    handler: async ({ context, caller, params, reply }) =>
      answerBytes(reply, await runInput(context, caller, params)),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/output',
    role: 'viewer',
    summary: 'Returns the output of the run as bytes',
    params: Identified,
    response: { 200: null },
    contentType: 'application/octet-stream',
    errors: [...RUN_ERRORS, 'conflict'],
    handler: async ({ context, caller, params, reply }) =>
      answerBytes(reply, await runOutput(context, caller, params)),
  }),
  route({
    method: 'GET',
    url: '/runs/:id/logs',
    role: 'viewer',
    summary: 'Returns the log lines of the tasks of a run',
    params: Identified,
    query: Type.Object(
      {
        task: Type.Optional(Name),
        attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        after: Type.Optional(Cursor),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(LogLine) },
    errors: [...RUN_ERRORS, 'bad_request'],
    handler: ({ context, caller, params, query }) =>
      runLogs(context, caller, { ...params, ...query }),
  }),
];
