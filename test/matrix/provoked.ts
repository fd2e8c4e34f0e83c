import type { ErrorCode } from '@signalbox/protocol';
import type { Request } from './operations.ts';
import type { TenantData } from './tenant-data.ts';

type Provoke = (data: TenantData) => Promise<Request> | Request;

const BAD_CURSOR = 'not-a-cursor';
const post = (path: string, body: unknown = {}): Request => ({ path, method: 'POST', body });
/** A definition whose target is a metadata service. */
const FORBIDDEN = { tasks: [{ http: { url: 'https://169.254.169.254/' } }] };
const ofEnded = (action: string, body: object = {}): Provoke => {
  return async (data) => post(`/runs/${await data.ended('succeeds')}/${action}`, body);
};
/** A schedule whose job is paused. */
const pausedSchedule = async (data: TenantData): Promise<string> => {
  const name = data.name();
  const job = await data.job();
  const definition = { job, cron: '0 2 * * *' };
  await data.made('/schedules', { body: { name, definition } });
  await data.made(`/jobs/${job}/pause`, { method: 'POST' });
  return name;
};
/** A schedule whose expression never fires. */
const never = async (data: TenantData) => ({ job: await data.job(), cron: '0 0 30 2 *' });
const range = { from: '2026-01-01T00:00:00Z', until: '2026-01-03T00:00:00Z' };

/** Requests of an admin to which an operation answers with a code that its handler declares. */
export const PROVOKED: Readonly<
  Record<string, Readonly<Partial<Record<ErrorCode, Provoke>>> | undefined>
> = {
  createJob: {
    target_not_allowed: (data) => post('/jobs', { name: data.name(), definition: FORBIDDEN }),
  },
  updateJob: {
    target_not_allowed: (data) => ({
      ...post(`/jobs/${data.name()}`, FORBIDDEN),
      method: 'PUT',
    }),
  },
  checkJob: { target_not_allowed: (data) => post(`/jobs/${data.name()}/check`, FORBIDDEN) },
  forgetDamagedRows: { not_found: () => post('/doctor/forget', { id: 'run/absent' }) },
  listJobRuns: {
    bad_request: async (data) => ({ path: `/jobs/${await data.job()}/runs?cursor=${BAD_CURSOR}` }),
  },
  createSchedule: {
    invalid_schedule: async (data) =>
      post('/schedules', { name: data.name(), definition: await never(data) }),
  },
  updateSchedule: {
    invalid_schedule: async (data) => ({
      ...post(`/schedules/${data.name()}`, await never(data)),
      method: 'PUT',
    }),
  },
  checkSchedule: {
    invalid_schedule: async (data) => post(`/schedules/${data.name()}/check`, await never(data)),
  },
  getSchedulePreview: {
    invalid_schedule: () => ({ path: '/schedule-preview?expr=61%20*%20*%20*%20*' }),
  },
  getScheduleTimeline: {
    bad_request: async (data) => ({
      path: `/schedules/${await data.schedule()}/timeline?after=${BAD_CURSOR}`,
    }),
  },
  triggerSchedule: {
    job_paused: async (data) => post(`/schedules/${await pausedSchedule(data)}/trigger`),
  },
  backfillSchedule: {
    job_paused: async (data) => post(`/schedules/${await pausedSchedule(data)}/backfill`, range),
  },
  sendEvents: {
    // An event that starts no run needs no decision.
    overloaded: async (data) => {
      await data.trigger();
      const event = { specversion: '1.0', id: data.name(), source: '/matrix', type: 'x' };
      const headers = { 'content-type': 'application/cloudevents+json' };
      return { path: '/events', raw: JSON.stringify(event), headers };
    },
  },
  receiveHook: {
    unauthenticated: async (data) => ({
      path: `/hooks/${data.tenant}/${await data.hook()}`,
      raw: '{}',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': 'sha256=00' },
    }),
  },
  createRun: {
    job_paused: async (data) => post('/runs', { job: await data.paused() }),
    locked_field: async (data) => post('/runs', { job: await data.job(), tasks: [] }),
    idempotency_conflict: async (data) => {
      const item = { job: await data.job(), idempotencyKey: data.name() };
      await data.made('/runs', { body: { ...item, input: 1 } });
      return post('/runs', { ...item, input: 2 });
    },
  },
  createRuns: {
    job_paused: async (data) => post('/runs/batch', { items: [{ job: await data.paused() }] }),
    locked_field: async (data) =>
      post('/runs/batch', { items: [{ job: await data.job(), tasks: [] }] }),
    idempotency_conflict: async (data) => {
      const item = { job: await data.job(), idempotencyKey: data.name() };
      await data.made('/runs', { body: { ...item, input: 1 } });
      return post('/runs/batch', { items: [{ ...item, input: 2 }] });
    },
  },
  listRuns: { bad_request: () => ({ path: `/runs?cursor=${BAD_CURSOR}` }) },
  listTasks: { bad_request: () => ({ path: `/tasks?cursor=${BAD_CURSOR}` }) },
  getRunOutput: { conflict: async (data) => ({ path: `/runs/${await data.run()}/output` }) },
  listRunLogs: {
    bad_request: async (data) => ({ path: `/runs/${await data.run()}/logs?after=${BAD_CURSOR}` }),
  },
  listTaskLogs: {
    bad_request: async (data) => ({
      path: `/tasks/${await data.task(await data.run())}/logs?after=${BAD_CURSOR}`,
    }),
  },
  cancelRun: { not_running: ofEnded('cancel') },
  pauseRun: { not_running: ofEnded('pause') },
  resumeRun: { not_running: ofEnded('resume') },
  reevaluateRun: { not_running: ofEnded('reevaluate') },
  updateRunPriority: { not_running: ofEnded('priority', { priority: 'P0' }) },
};
