export * from './blobs.ts';
export * from './calendars/calendars.ts';
export * from './change-run.ts';
export * from './change-runs.ts';
export { loadDefinitionSchemas } from './definition-schema.ts';
export { diagnoseTask } from './diagnose-task.ts';
export { examine, forgetDamagedRows } from './doctor.ts';
export * from './jobs.ts';
export * from './list-runs.ts';
export * from './list-tasks.ts';
export { asApiError } from './operation.ts';
export { renewPayload } from './payloads.ts';
export * from './queue-depth.ts';
export { getRun, WAIT_MAX_MS } from './read-run.ts';
export * from './retry-run.ts';
export { type LogFilter, runLogs, taskLogs } from './run-logs.ts';
export * from './run-payloads.ts';
export { runTasks } from './run-tasks.ts';
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
export * from './secrets.ts';
export type { SubmitItem } from './submission.ts';
export * from './submit-runs.ts';
export { getTask, taskAttempts, taskCheckpoint } from './tasks.ts';
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
export * from './wake-task.ts';
export { watchRun, watchTenant } from './watch-events.ts';
export * from './workers.ts';
