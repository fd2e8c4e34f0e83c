export { listAudit } from './audit/list-audit.ts';
export * from './blobs/blobs.ts';
export { renewPayload } from './blobs/payloads.ts';
export * from './calendars/calendars.ts';
export { asApiError } from './common/operation.ts';
export { loadDefinitionSchemas } from './definitions/definition-schema.ts';
export { examine, forgetDamagedRows } from './doctor/doctor.ts';
export * from './jobs/jobs.ts';
export { createKey, listKeys, revokeKey, visibleTenants } from './keys/keys.ts';
export * from './queues/queue-depth.ts';
export * from './runs/change-run.ts';
export * from './runs/change-runs.ts';
export * from './runs/list-runs.ts';
export { getRun, WAIT_MAX_MS } from './runs/read-run.ts';
export * from './runs/retry-run.ts';
export { type LogFilter, runLogs, taskLogs } from './runs/run-logs.ts';
export * from './runs/run-payloads.ts';
export type { SubmitItem } from './runs/submission.ts';
export * from './runs/submit-runs.ts';
export { watchRun, watchTenant } from './runs/watch-events.ts';
export * from './schedules/backfill.ts';
export { previewSchedule } from './schedules/preview.ts';
export {
  checkSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  type SavedSchedule,
  saveSchedule,
} from './schedules/schedules.ts';
export { scheduleTimeline } from './schedules/timeline.ts';
export * from './secrets/secrets.ts';
export { diagnoseTask } from './tasks/diagnose-task.ts';
export * from './tasks/list-tasks.ts';
export { runTasks } from './tasks/run-tasks.ts';
export { getTask, taskAttempts, taskCheckpoint } from './tasks/tasks.ts';
export * from './tasks/wake-task.ts';
export { deleteTenant, getTenant, listTenants, putTenant } from './tenants/tenants.ts';
export { receiveEvents } from './triggers/receive-events.ts';
export { type HookRequest, receiveHook } from './triggers/receive-hook.ts';
export {
  checkTrigger,
  deleteTrigger,
  getTrigger,
  listTriggers,
  pauseTrigger,
  resumeTrigger,
  type SavedTrigger,
  saveTrigger,
  testTrigger,
} from './triggers/triggers.ts';
export * from './workers/workers.ts';
