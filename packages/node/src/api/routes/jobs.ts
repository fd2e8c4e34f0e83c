import {
  Cursor,
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
import { VERSION_HEADERS } from '../request-headers.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { JOB_RULES } from '../rules.ts';
import { newestVersion, noteVersion } from '../version-note.ts';

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ job: Name });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'reply' | 'note'>;

function answerDefined({ reply, note }: Request, { job, outcome }: Defined): Job {
  note.target = job.name;
  noteVersion(note, { version: job.version, outcome });
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
    reads: VERSION_HEADERS,
    response: { 200: Job },
    versioned: true,
    errors: ['not_found'],
    audit: `job.${action}`,
    handler: async ({ context, caller, params, headers, reply, note }) => {
      const seen = await newestVersion(context, caller, { kind: 'job', name: params.job });
      const job = await change(context, caller, { name: params.job, ...expectedBy(headers) });
      noteVersion(note, { version: job.version, outcome: job.state, seen });
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
    summary: 'Creates or updates a job; an identical definition keeps its version',
    rules: JOB_RULES,
    body: Type.Object({ name: Name, definition: Type.Optional(JobDefinition) }, closed),
    reads: VERSION_HEADERS,
    response: { 200: Job, 201: Job },
    versioned: true,
    location: ({ name }: { name: string }) => `/jobs/${name}`,
    errors: ['quota_exceeded', 'target_not_allowed'],
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
    summary: 'Creates or updates a job; If-Match names the expected version',
    rules: JOB_RULES,
    params: Named,
    body: JobDefinition,
    reads: VERSION_HEADERS,
    response: { 200: Job, 201: Job },
    versioned: true,
    errors: ['quota_exceeded', 'target_not_allowed'],
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
    summary: 'Validates a job and returns what saving it would change; saves nothing',
    rules: JOB_RULES,
    params: Named,
    body: JobDefinition,
    response: { 200: checkedOf(JobDefinition) },
    errors: ['target_not_allowed'],
    handler: ({ context, caller, params, body }) =>
      checkJob(context, caller, { name: params.job, definition: body }),
  }),
  route({
    method: 'GET',
    url: '/jobs',
    role: 'viewer',
    summary: 'Lists the jobs of the tenant by name',
    query: Type.Object(
      { after: Type.Optional(Cursor), limit: Limit, deleted: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: { 200: pageOf(Job) },
    handler: ({ context, caller, query }) => listJobs(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/jobs/:job',
    role: 'viewer',
    summary: 'Returns the newest version of a job, including a deleted one',
    params: Named,
    response: { 200: Job },
    versioned: true,
    errors: ['not_found'],
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
    summary: 'Lists all versions of a job, oldest first',
    params: Named,
    query: Type.Object(
      {
        after: Type.Optional(Cursor),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(Job) },
    errors: ['not_found'],
    handler: ({ context, caller, params, query }) =>
      listJobVersions(context, caller, { name: params.job, ...query }),
  }),
  route({
    method: 'GET',
    url: '/jobs/:job/versions/:version',
    role: 'viewer',
    summary: 'Returns one version of a job',
    params: Type.Object({ job: Name, version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) }),
    response: { 200: Job },
    errors: ['not_found'],
    handler: ({ context, caller, params }) =>
      getJob(context, caller, { name: params.job, version: Number(params.version) }),
  }),
  changing('pause', 'Stops accepting submissions of the job; accepted runs continue', pauseJob),
  changing('resume', 'Accepts submissions of the job again', resumeJob),
  changing('restore', 'Restores a deleted job', restoreJob),
  route({
    method: 'DELETE',
    url: '/jobs/:job',
    role: 'operator',
    summary: 'Deletes a job; its versions, runs and history remain',
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Job },
    errors: ['not_found'],
    audit: 'job.delete',
    handler: async ({ context, caller, params, headers, note }) => {
      const job = await deleteJob(context, caller, { name: params.job, ...expectedBy(headers) });
      noteVersion(note, { version: job.version, outcome: 'deleted' });
      return job;
    },
  }),
  route({
    method: 'GET',
    url: '/jobs/:job/runs',
    role: 'viewer',
    summary: 'Lists the runs of the job, newest first',
    params: Named,
    query: Type.Object(
      {
        state: Type.Optional(RunState),
        priority: Type.Optional(PriorityName),
        cursor: Type.Optional(Cursor),
        limit: Limit,
      },
      closed,
    ),
    response: { 200: pageOf(RunView) },
    errors: ['not_found', 'bad_request'],
    handler: async ({ context, caller, params, query }) => {
      // An absent job answers as everywhere; an empty list would say that it is there.
      await getJob(context, caller, { name: params.job });
      return listRuns(context, caller, { ...query, job: params.job });
    },
  }),
];
