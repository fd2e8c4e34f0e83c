import type { Ask } from '../../packages/node/src/api/testing/api-world.ts';
import { hubSignature, type TenantData } from './tenant-data.ts';

/**
 * The keys that an operation admits, stated a second time: a role that changes in the code without a change here
 * fails. `platform viewer` admits platform keys of that role or higher, `+ worker` also worker keys.
 */
type Role = 'viewer' | 'submitter' | 'operator' | 'admin';
export type Admits = 'anyone' | 'signed' | Role | `${Role} + worker` | `platform ${Role}`;

/** What the key of another tenant gets for the same request. */
export type Foreign =
  /** Not found, exactly as for a resource that does not exist. */
  | 'absent'
  /** Its own data: the request names no resource of a tenant, and the response none of this tenant. */
  | 'own';

export interface Operation {
  readonly admits: Admits;
  readonly foreign: Foreign;
  /** Creates what the request needs, and returns a request that succeeds with a sufficient key. */
  readonly request: (data: TenantData, world: { readonly worker: string }) => Promise<Request>;
}

export interface Request extends Ask {
  readonly path: string;
}

type Prepare = (data: TenantData) => Promise<Request> | Request;

const get = (path: string): Request => ({ path });
const send = (path: string, body: unknown = {}, method = 'POST'): Request => ({
  path,
  method,
  body,
});
const remove = (path: string): Request => ({ path, method: 'DELETE' });

function entry(admits: Admits, foreign: Foreign, prepare: Prepare): Operation {
  return { admits, foreign, request: async (data) => prepare(data) };
}
const lists = (admits: Admits, path: string) => entry(admits, 'own', () => get(path));
const reads = (admits: Admits, prepare: Prepare) => entry(admits, 'absent', prepare);
const changes = (prepare: Prepare) => entry('operator', 'absent', prepare);
const ofWorker = (action: string): Operation => ({
  admits: 'platform operator',
  foreign: 'own',
  request: async (_, { worker }) => send(`/workers/${worker}/${action}`),
});
/** Operations on a resource of the tenant, below its path. */
const below = (make: (data: TenantData) => Promise<string>, path: string, end = '') =>
  reads('viewer', async (data) => get(`${path}${await make(data)}${end}`));

const run = (data: TenantData) => data.run();
const task = async (data: TenantData) => data.task(await data.run());
const saved = async (data: TenantData) => data.task(await data.saved());
const nightly = async (data: TenantData) => ({ job: await data.job(), cron: '0 2 * * *' });
const listening = async (data: TenantData) => ({ job: await data.job(), type: 'y' });
const changed = (action: string, body: object = {}) =>
  changes(async (data) => send(`/runs/${await data.run()}/${action}`, body));

const JOBS = {
  createJob: entry('operator', 'own', (data) => send('/jobs', { name: data.name() })),
  updateJob: entry('operator', 'own', (data) => send(`/jobs/${data.name()}`, {}, 'PUT')),
  checkJob: entry('viewer', 'own', (data) => send(`/jobs/${data.name()}/check`)),
  listJobs: lists('viewer', '/jobs'),
  getJob: below((data) => data.job(), '/jobs/'),
  listJobVersions: below((data) => data.job(), '/jobs/', '/versions'),
  getJobVersion: below((data) => data.job(), '/jobs/', '/versions/1'),
  listJobRuns: below((data) => data.job(), '/jobs/', '/runs'),
  pauseJob: changes(async (data) => send(`/jobs/${await data.job()}/pause`)),
  resumeJob: changes(async (data) => send(`/jobs/${await data.paused()}/resume`)),
  restoreJob: changes(async (data) => send(`/jobs/${await data.deleted()}/restore`)),
  deleteJob: changes(async (data) => remove(`/jobs/${await data.job()}`)),
};

const SCHEDULES = {
  createSchedule: changes(async (data) =>
    send('/schedules', { name: data.name(), definition: await nightly(data) }),
  ),
  updateSchedule: changes(async (data) =>
    send(`/schedules/${data.name()}`, await nightly(data), 'PUT'),
  ),
  checkSchedule: reads('viewer', async (data) =>
    send(`/schedules/${data.name()}/check`, await nightly(data)),
  ),
  listSchedules: lists('viewer', '/schedules'),
  getSchedule: below((data) => data.schedule(), '/schedules/'),
  getScheduleTimeline: below((data) => data.schedule(), '/schedules/', '/timeline'),
  pauseSchedule: changes(async (data) => send(`/schedules/${await data.schedule()}/pause`)),
  resumeSchedule: changes(async (data) => send(`/schedules/${await data.schedule()}/resume`)),
  deleteSchedule: changes(async (data) => remove(`/schedules/${await data.schedule()}`)),
  triggerSchedule: changes(async (data) => send(`/schedules/${await data.schedule()}/trigger`)),
  backfillSchedule: changes(async (data) =>
    send(`/schedules/${await data.schedule()}/backfill`, {
      from: '2026-01-01T00:00:00Z',
      until: '2026-01-02T00:00:00Z',
    }),
  ),
  getSchedulePreview: lists('viewer', '/schedule-preview?expr=0%202%20*%20*%20*'),
  updateCalendar: entry('operator', 'own', (data) =>
    send(`/calendars/${data.name()}`, { blackouts: ['12-25'] }, 'PUT'),
  ),
  listCalendars: lists('viewer', '/calendars'),
  getCalendar: below((data) => data.calendar(), '/calendars/'),
  deleteCalendar: changes(async (data) => remove(`/calendars/${await data.calendar()}`)),
};

const event = { specversion: '1.0', id: 'e', source: '/elsewhere', type: 'z' };
const TRIGGERS = {
  createTrigger: changes(async (data) =>
    send('/triggers', { name: data.name(), definition: await listening(data) }),
  ),
  updateTrigger: changes(async (data) =>
    send(`/triggers/${data.name()}`, await listening(data), 'PUT'),
  ),
  checkTrigger: reads('viewer', async (data) =>
    send(`/triggers/${data.name()}/check`, await listening(data)),
  ),
  listTriggers: lists('viewer', '/triggers'),
  getTrigger: below((data) => data.trigger(), '/triggers/'),
  deleteTrigger: changes(async (data) => remove(`/triggers/${await data.trigger()}`)),
  pauseTrigger: changes(async (data) => send(`/triggers/${await data.trigger()}/pause`)),
  resumeTrigger: changes(async (data) => send(`/triggers/${await data.trigger()}/resume`)),
  testTrigger: reads('viewer', async (data) =>
    send('/triggers/test', { name: await data.trigger(), data: 1 }),
  ),
  sendEvents: entry('submitter', 'own', () => ({
    path: '/events',
    raw: JSON.stringify(event),
    headers: { 'content-type': 'application/cloudevents+json' },
  })),
  receiveHook: entry('signed', 'own', async (data) => ({
    path: `/hooks/${data.tenant}/${await data.hook()}`,
    raw: '{"n":1}',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': hubSignature('{"n":1}') },
  })),
};

const RUNS = {
  createRun: entry('submitter', 'absent', async (data) => send('/runs', { job: await data.job() })),
  createRuns: entry('submitter', 'absent', async (data) =>
    send('/runs/batch', { items: [{ job: await data.job() }] }),
  ),
  listRuns: lists('viewer', '/runs'),
  getRun: below(run, '/runs/'),
  listRunTasks: below(run, '/runs/', '/tasks'),
  getRunInput: below(run, '/runs/', '/input'),
  getRunOutput: below((data) => data.ended('succeeds'), '/runs/', '/output'),
  listRunLogs: below(run, '/runs/', '/logs'),
  watchRun: below(run, '/runs/', '/events'),
  // A filter by a job that the tenant does not have matches nothing.
  cancelRuns: entry('operator', 'own', (data) =>
    send('/runs/cancel', { filter: { job: data.name() } }),
  ),
  retryRuns: entry('operator', 'own', (data) =>
    send('/runs/retry', { filter: { job: data.name() } }),
  ),
  cancelRun: changed('cancel'),
  pauseRun: changed('pause'),
  resumeRun: changed('resume'),
  reevaluateRun: changed('reevaluate'),
  updateRunPriority: changed('priority', { priority: 'P0' }),
  retryRun: changes(async (data) => send(`/runs/${await data.ended('fails')}/retry`)),
  approveTask: changes(async (data) => {
    const id = await data.waiting({ approval: { message: 'go?' } });
    return send(`/runs/${id}/tasks/wait/approval`, { decision: 'approve' });
  }),
  signalTask: changes(async (data) => {
    const id = await data.waiting({ event: { type: 'go' } });
    return send(`/runs/${id}/tasks/wait/event`, { event: {} });
  }),
  listTasks: lists('viewer', '/tasks'),
  getTask: below(task, '/tasks/'),
  listTaskAttempts: below(task, '/tasks/', '/attempts'),
  listTaskLogs: below(task, '/tasks/', '/logs'),
  getTaskCheckpoint: below(saved, '/tasks/', '/checkpoint'),
  getTaskDiagnosis: below(task, '/tasks/', '/diagnosis'),
  watchEvents: lists('viewer', '/events'),
  listQueues: lists('viewer', '/queues'),
  createBlob: entry('submitter + worker', 'own', (data) => ({
    path: '/blobs',
    method: 'PUT',
    raw: `from ${data.tenant}`,
  })),
  getBlob: reads('viewer + worker', async (data) => get(`/blobs/${await data.blob()}`)),
};

const PLATFORM: Record<string, Operation> = {
  listWorkers: lists('platform viewer', '/workers'),
  getWorker: {
    admits: 'platform viewer',
    foreign: 'own',
    request: async (_, { worker }) => get(`/workers/${worker}`),
  },
  drainWorker: ofWorker('drain'),
  cordonWorker: ofWorker('cordon'),
  uncordonWorker: ofWorker('uncordon'),
  evictWorker: ofWorker('evict'),
  listTenants: lists('platform admin', '/tenants'),
  getTenant: reads('viewer', async (data) => get(`/tenants/${await data.defined()}`)),
  updateTenant: entry('platform admin', 'own', (data) =>
    send(`/tenants/${data.name()}`, { weight: 2 }, 'PUT'),
  ),
  deleteTenant: entry('platform admin', 'own', async (data) =>
    remove(`/tenants/${await data.defined()}`),
  ),
  listKeys: lists('admin', '/keys'),
  createKey: entry('admin', 'own', () => send('/keys', { role: 'viewer' })),
  revokeKey: entry('admin', 'absent', async (data) => remove(`/keys/${await data.key()}`)),
  getWebhookSecret: lists('admin', '/webhook-secret'),
  listSecrets: lists('operator', '/secrets'),
  updateSecret: entry('admin', 'own', (data) =>
    send(`/secrets/${data.name()}`, { value: 'of the matrix' }, 'PUT'),
  ),
  deleteSecret: entry('admin', 'absent', async (data) => remove(`/secrets/${await data.secret()}`)),
  getDoctor: lists('platform admin', '/doctor'),
  forgetDamagedRows: entry('platform admin', 'own', () => send('/doctor/forget', { all: true })),
  listAuditEntries: lists('admin', '/audit'),
  getMetrics: lists('platform viewer', '/metrics'),
  getHealth: lists('anyone', '/health'),
  getReady: lists('anyone', '/ready'),
  getWhoami: lists('viewer + worker', '/whoami'),
  getOpenApi: lists('anyone', '/openapi.json'),
};

/** By operation id; a test compares the names with the routes of the API. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...JOBS,
  ...SCHEDULES,
  ...TRIGGERS,
  ...RUNS,
  ...PLATFORM,
};
