import {
  AttemptView,
  Cursor,
  Diagnosis,
  LogLine,
  Name,
  pageOf,
  TaskState,
  TaskView,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import {
  diagnoseTask,
  getTask,
  listTasks,
  taskAttempts,
  taskCheckpoint,
  taskLogs,
} from '../../operations/index.ts';
import { answerBytes } from '../bytes-answer.ts';
import { RUN_ERRORS } from '../operation-errors.ts';
import { type Route, route } from '../route.ts';

const Identified = Type.Object({ id: Type.String({ maxLength: 256 }) });

export const tasksRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/tasks',
    role: 'viewer',
    summary: 'Lists tasks, those of the newest run first; `limit` counts runs',
    query: Type.Object(
      {
        job: Type.Optional(Name),
        state: Type.Optional(TaskState),
        cursor: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(TaskView) },
    errors: ['bad_request'],
    handler: ({ context, caller, query }) => listTasks(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/tasks/:id',
    role: 'viewer',
    summary: 'Returns a task with its attempts',
    params: Identified,
    response: { 200: TaskView },
    errors: RUN_ERRORS,
    handler: ({ context, caller, params }) => getTask(context, caller, params),
  }),
  route({
    method: 'GET',
    url: '/tasks/:id/attempts',
    role: 'viewer',
    summary: 'Lists the attempts of a task, oldest first',
    params: Identified,
    response: { 200: pageOf(AttemptView) },
    errors: RUN_ERRORS,
    handler: ({ context, caller, params }) => taskAttempts(context, caller, params),
  }),
  route({
    method: 'GET',
    url: '/tasks/:id/logs',
    role: 'viewer',
    summary: 'Returns the log lines of a task',
    params: Identified,
    query: Type.Object(
      {
        attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        after: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(LogLine) },
    errors: [...RUN_ERRORS, 'bad_request'],
    handler: ({ context, caller, params, query }) =>
      taskLogs(context, caller, { ...params, ...query }),
  }),
  route({
    method: 'GET',
    url: '/tasks/:id/checkpoint',
    role: 'viewer',
    summary: 'Returns the last checkpoint of a task',
    params: Identified,
    response: { 200: null },
    contentType: 'application/octet-stream',
    errors: RUN_ERRORS,
    handler: async ({ context, caller, params, reply }) =>
      answerBytes(reply, await taskCheckpoint(context, caller, params)),
  }),
  route({
    method: 'GET',
    url: '/tasks/:id/diagnosis',
    role: 'viewer',
    summary: 'Returns why the task is not running: the binding constraint, and what would lift it',
    params: Identified,
    response: { 200: Diagnosis },
    errors: RUN_ERRORS,
    handler: ({ context, caller, params }) => diagnoseTask(context, caller, params),
  }),
];
