export * from './backfill.ts';
export { previewSchedule } from './preview.ts';
export {
  deleteSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  type SavedSchedule,
  saveSchedule,
} from './schedules.ts';
export { scheduleTimeline } from './timeline.ts';
