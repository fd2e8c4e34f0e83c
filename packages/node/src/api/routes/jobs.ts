import {
  checkedOf,
  Job,
  JobDefinition,
  Name,
  PriorityName,
  pageOf,
  RunState,
  RunView,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import {
  checkJob,
  type Defined,
  defineJob,
  deleteJob,
  getJob,
  listJobs,
  listJobVersions,
  listRuns,
  pauseJob,
  restoreJob,
  resumeJob,
} from '../../operations/index.ts';
import { expectedBy, tagOf } from '../etag.ts';
import { type Route, type RouteRequest, route } from '../route.ts';

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ job: Name });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'reply' | 'note'>;

function answerDefined({ reply, note }: Request, { job, outcome }: Defined): Job {
  note.target = job.name;
  note.after = `version ${job.version}, ${outcome}`;
  reply.code(outcome === 'created' ? 201 : 200).header('etag', tagOf(job.version));
  return job;
}

function changing(
  action: 'pause' | 'resume' | 'restore',
  summary: string,
  change: typeof pauseJob,
): Route {
  return route({
    method: 'POST',
    url: `/jobs/:job/${action}`,
    role: 'operator',
    summary,
    params: Named,
    response: { 200: Job },
    audit: `job.${action}`,
    handler: async ({ context, caller, params, headers, reply, note }) => {
      const job = await change(context, caller, { name: params.job, ...expectedBy(headers) });
      note.after = `version ${job.version}, ${job.state}`;
      reply.header('etag', tagOf(job.version));
      return job;
    },
  });
}

export const jobsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/jobs',
    role: 'operator',
    summary: 'Create or update a job; an unchanged definition keeps its version',
    body: Type.Object({ name: Name, definition: Type.Optional(JobDefinition) }, closed),
    response: { 200: Job, 201: Job },
    audit: 'job.update',
    handler: async (request) => {
      const { context, caller, body, headers } = request;
      const { name, definition = {} } = body;
      const expected = expectedBy(headers);
      return answerDefined(
        request,
        await defineJob(context, caller, { name, definition, expected }),
      );
    },
  }),
  route({
    method: 'PUT',
    url: '/jobs/:job',
    role: 'operator',
    summary: 'Create or update a job; with If-Match, only if the job still has that version',
    params: Named,
    body: JobDefinition,
    response: { 200: Job, 201: Job },
    audit: 'job.update',
    handler: async (request) => {
      const { context, caller, params, body: definition, headers } = request;
      const wanted = { name: params.job, definition, expected: expectedBy(headers) };
      return answerDefined(request, await defineJob(context, caller, wanted));
    },
  }),
  route({
    method: 'POST',
    url: '/jobs/:job/check',
    role: 'viewer',
    summary: 'Check a job definition and show what saving it would change, without saving it',
    params: Named,
    body: JobDefinition,
    response: { 200: checkedOf(JobDefinition) },
    handler: ({ context, caller, params, body }) =>
      checkJob(context, caller, { name: params.job, definition: body }),
  }),
  route({
    method: 'GET',
    url: '/jobs',
    role: 'viewer',
    summary: 'List the jobs of the tenant by name',
    query: Type.Object(
      { after: Type.Optional(Name), limit: Limit, deleted: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: { 200: pageOf(Job) },
    handler: ({ context, caller, query }) => listJobs(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/jobs/:job',
    role: 'viewer',
    summary: 'Get the newest version of a job, even if the job is deleted',
    params: Named,
    response: { 200: Job },
    handler: async ({ context, caller, params, reply }) => {
      const job = await getJob(context, caller, { name: params.job });
      reply.header('etag', tagOf(job.version));
      return job;
    },
  }),
  route({
    method: 'GET',
    url: '/jobs/:job/versions',
    role: 'viewer',
    summary: 'List all versions of a job, oldest first',
    params: Named,
    query: Type.Object(
      {
        after: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(Job) },
    handler: ({ context, caller, params, query }) =>
      listJobVersions(context, caller, { name: params.job, ...query }),
  }),
  route({
    method: 'GET',
    url: '/jobs/:job/versions/:version',
    role: 'viewer',
    summary: 'Get one version of a job',
    params: Type.Object({ job: Name, version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) }),
    response: { 200: Job },
    handler: ({ context, caller, params }) =>
      getJob(context, caller, { name: params.job, version: Number(params.version) }),
  }),
  changing('pause', 'Pause a job: new submissions are refused, accepted runs continue', pauseJob),
  changing('resume', 'Resume a job: submissions are accepted again', resumeJob),
  changing('restore', 'Restore a deleted job', restoreJob),
  route({
    method: 'DELETE',
    url: '/jobs/:job',
    role: 'operator',
    summary: 'Delete a job; its versions, runs and history remain',
    params: Named,
    response: { 200: Job },
    audit: 'job.delete',
    handler: async ({ context, caller, params, headers, note }) => {
      const job = await deleteJob(context, caller, { name: params.job, ...expectedBy(headers) });
      note.after = `version ${job.version}, deleted`;
      return job;
    },
  }),
  route({
    method: 'GET',
    url: '/jobs/:job/runs',
    role: 'viewer',
    summary: 'List the runs of a job, newest first',
    params: Named,
    query: Type.Object(
      {
        state: Type.Optional(RunState),
        priority: Type.Optional(PriorityName),
        cursor: Type.Optional(Type.String({ maxLength: 64 })),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(RunView) },
    handler: async ({ context, caller, params, query }) => {
      // An absent job answers as everywhere; an empty list would say that it is there.
      await getJob(context, caller, { name: params.job });
      return listRuns(context, caller, { ...query, job: params.job });
    },
  }),
];
