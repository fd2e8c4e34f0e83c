export { type GroupOutput, groupOutput } from './children/group-output.ts';
export { memberAt } from './children/member-at.ts';
export * from './children/ports.ts';
export * from './commands.ts';
export type { Core, FollowedEnd } from './core/core.ts';
export { notifiedRun } from './core/notify.ts';
export * from './cron/calendar.ts';
export { type ClockChange, clockChanges } from './cron/clock-change.ts';
export * from './cron/cron.ts';
export { describeCron } from './cron/describe.ts';
export type { CronExpression } from './cron/expression.ts';
export type { CronField } from './cron/fields.ts';
export * from './cron/parse.ts';
export * from './cron/recurrences.ts';
export type { CronRefusal } from './cron/refusal.ts';
export * from './cron/windows.ts';
export * from './cron/zone.ts';
export * from './effects.ts';
export * from './engine.ts';
export { UNCHARGED_KEPT } from './facts/attempt-history.ts';
export * from './facts/decode-group.ts';
export * from './facts/detail.ts';
export * from './facts/encode-group.ts';
export * from './facts/facts.ts';
export { addRun, fold } from './facts/fold.ts';
export * from './facts/graph-facts.ts';
export * from './facts/reasons.ts';
export * from './facts/schedule-facts.ts';
export { toldError } from './facts/told-error.ts';
export * from './model/assert.ts';
export * from './model/book.ts';
export * from './model/classes.ts';
export { findCycle } from './model/find-cycle.ts';
export * from './model/graph.ts';
export * from './model/graph-spec.ts';
export * from './model/grown-names.ts';
export { keysOfHead } from './model/keys-of-head.ts';
export * from './model/lane.ts';
export { nestedDepth, nestedKey } from './model/nested.ts';
export * from './model/partition.ts';
export * from './model/random.ts';
export { RANGES } from './model/ranges.ts';
export * from './model/reserved-key.ts';
export * from './model/resources.ts';
export * from './model/run.ts';
export * from './model/run-id.ts';
export { RunIdWriter } from './model/run-id-writer.ts';
export * from './model/schedule.ts';
export type { Shape } from './model/shape.ts';
export * from './model/spec.ts';
export * from './model/states.ts';
export * from './model/worker.ts';
export { type Ahead, countAhead } from './place/ahead.ts';
export {
  explainPlacement,
  type NearestWorker,
  nearestWorker,
  unavailableWorkers,
} from './place/explain.ts';
export type { BlockReason } from './place/rule.ts';
export { type Shortage, shortageOf } from './place/shortage.ts';
export { isParked, type PageWanted } from './ready/paging.ts';
export {
  checkpointSpecs,
  encodeCheckpoint,
  type FindSpec,
  type JobVersion,
} from './recover/checkpoint.ts';
export * from './recover/rebuild.ts';
export { workerLostAt } from './run/liveness.ts';
export * from './settings.ts';
export type { WindowInput } from './triggers/ports.ts';
export { bounded as boundedWindows, recurrenceOf, type ZoneOf } from './triggers/recurrence.ts';
export type { Saying, Word } from './words.ts';
