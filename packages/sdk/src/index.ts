import './require-node.ts';

export type {
  AttemptView,
  Backoff,
  CommandWork,
  Diagnosis,
  Duration,
  HttpWork,
  Job as JobView,
  JobDefinition,
  LogLine,
  Page,
  Priority,
  PriorityName,
  Resources,
  RetryPolicy,
  RunState,
  RunView,
  TaskDefinition,
  TaskState,
  TaskView,
} from '@signalbox/protocol';
export {
  type Checkpoint,
  type Executor,
  type HandlerContext,
  type HandlerLog,
  type HandlerWindow,
  type ParentResult,
  PermanentError,
  ResourceError,
  TransientError,
} from '@signalbox/worker';
export type { BoxEvent, BulkOptions, RunsFilter, RunsQuery } from './backend.ts';
export type { ConnectOptions, ManyItem, OpenOptions, SubmitArgs } from './box-options.ts';
export { RunFailedError, SignalboxError, type SignalboxErrorCode } from './errors.ts';
export { type IsolatedOptions, isolated } from './isolated.ts';
export {
  type AnyJob,
  type InputOf,
  type Job,
  type JobFields,
  type JobOptions,
  job,
  type OutputOf,
  toDefinition,
} from './job.ts';
export type { Jsonified, Submittable } from './jsonified.ts';
export { type Condition, cel } from './pipeline/condition.ts';
export { type PipelineOptions, pipeline } from './pipeline/pipeline.ts';
export type {
  AddedTasks,
  Decision,
  Part,
  Parts,
  Pipeline,
} from './pipeline/pipeline-tasks.ts';
export { optional, type Ref } from './pipeline/reference.ts';
export type { Step, StepOptions } from './pipeline/step.ts';
export type { SubmitOptions } from './prepare-submission.ts';
export type { LogsOptions } from './read-logs.ts';
export { type ReadBack, RunHandle, type WaitOptions } from './run-handle.ts';
export { Signalbox } from './signalbox.ts';
export { type AnyTask, type Task, task } from './task.ts';
export type { CommandOptions, Handler, HttpOptions, IsolatedHandler, TaskOptions } from './work.ts';
export type { WorkingWorker, WorkOnOptions } from './work-on.ts';
