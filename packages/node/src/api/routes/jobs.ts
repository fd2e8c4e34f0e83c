import {
  Cursor,
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
import { definitionRoutes, Limit } from '../definition-routes.ts';
import { type Route, route } from '../route.ts';
import { JOB_RULES } from '../rules.ts';

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ job: Name });

const jobs = definitionRoutes({
  kind: 'job',
  View: Job,
  Definition: JobDefinition,
  rules: JOB_RULES,
  errors: ['target_not_allowed'],
  postUpdates: true,
  save: defineJob,
  check: checkJob,
  get: getJob,
  list: listJobs,
  remove: deleteJob,
  summaries: {
    create: 'Creates or updates a job; an identical definition keeps its version',
    update: 'Creates or updates a job; If-Match names the expected version',
    get: 'Returns the newest version of a job, including a deleted one',
    remove: 'Deletes a job; its versions, runs and history remain',
  },
});

export const jobsRoutes: readonly Route[] = [
  jobs.create,
  jobs.update,
  jobs.check,
  jobs.list,
  jobs.get,
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
  jobs.changing(
    'pause',
    'Stops accepting submissions of the job; accepted runs continue',
    pauseJob,
  ),
  jobs.changing('resume', 'Accepts submissions of the job again', resumeJob),
  jobs.changing('restore', 'Restores a deleted job', restoreJob),
  jobs.remove,
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
      // A missing job is refused; an empty list would imply that it exists.
      await getJob(context, caller, { name: params.job });
      return listRuns(context, caller, { ...query, job: params.job });
    },
  }),
];
