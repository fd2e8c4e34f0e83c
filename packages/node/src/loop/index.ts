export { expectationName } from './defined-schedule.ts';
export * from './fetch.ts';
export { packEvents, type SentEvent } from './inbox-events.ts';
export * from './inbox-request.ts';
export * from './loop.ts';
export { PollBackOff } from './poll-back-off.ts';
export * from './ports.ts';
export * from './reader.ts';
export { type RedriveScope, redrive } from './redrive.ts';
export { contentKey } from './reply.ts';
export { slicesOf } from './slices.ts';
export { Specs } from './specs.ts';
export { readNeeded, readPartition } from './take-over.ts';
export {
  ALL_TASKS,
  NO_TASKS,
  type SelectedTasks,
  selectTasks,
  type TaskSelection,
} from './task-selection.ts';
