import type {
  Duration,
  FailurePolicy,
  JobDefinition,
  Notify,
  RunLimits,
} from '@signalbox/protocol';
import { JOB_MEMBERS, type Job, type JobFields, jobFieldsOf } from '../job.ts';
import { type MembersOf, refuseUnknown } from '../known-members.ts';
import { PipelineTasks } from './add-tasks.ts';
import type { Pipeline } from './pipeline-tasks.ts';
import type { Step } from './step.ts';

/** Options of a pipeline. */
export interface PipelineOptions extends JobFields {
  /** Effect of a failed task on the other tasks. Default: FAIL_FAST. */
  readonly failurePolicy?: FailurePolicy;
  /** If some tasks failed, the run ends as PARTIAL instead of FAILED. Default: true with CONTINUE and SKIP_FAILED. */
  readonly allowPartial?: boolean;
  readonly limits?: RunLimits;
  readonly notify?: Notify;
  /** Usual duration of a run; an alert is raised at twice this. */
  readonly expectedDuration?: Duration;
  /** Event types for which tasks added by `p.dynamic` can wait. */
  readonly eventTypes?: readonly string[];
}

const PIPELINE_MEMBERS = {
  ...JOB_MEMBERS,
  failurePolicy: true,
  allowPartial: true,
  limits: true,
  notify: true,
  expectedDuration: true,
  eventTypes: true,
} as const satisfies MembersOf<PipelineOptions>;

type Build<Input, Output> = (tasks: Pipeline<Input>) => Step<Output> | undefined;

/**
 * Creates a job of several tasks that pass outputs to each other, checked by the compiler:
 *
 *     pipeline('etl', (p: Pipeline<{ day: string }>) => {
 *       const files = p.task('list', ({ day }) => list(day));
 *       return p.task('load', { inputs: { files, day: p.input.day } }, ({ files }) => load(files));
 *     });
 *
 * The output of the returned task is the output of the run; no task can come after it.
 */
export function pipeline<Input = undefined, Output = unknown>(
  name: string,
  build: Build<Input, Output>,
): Job<Input, Output>;
export function pipeline<Input = undefined, Output = unknown>(
  name: string,
  options: PipelineOptions,
  build: Build<Input, Output>,
): Job<Input, Output>;
export function pipeline<Input, Output>(
  name: string,
  first: PipelineOptions | Build<Input, Output>,
  second?: Build<Input, Output>,
): Job<Input, Output> {
  const [options, build] = typeof first === 'function' ? [{}, first] : [first, second];
  if (build === undefined) throw new TypeError(`the pipeline ${name} has no tasks`);
  refuseUnknown(`the pipeline ${name}`, Object.keys(options), PIPELINE_MEMBERS);
  const tasks = new PipelineTasks<Input>(name);
  const last = build(tasks);
  if (last !== undefined) tasks.requireLast(last);
  if (tasks.definitions.length === 0) throw new RangeError(`the pipeline ${name} has no tasks`);
  const { failurePolicy, allowPartial, limits, notify, expectedDuration, eventTypes } = options;
  const definition: JobDefinition = {
    ...jobFieldsOf(options),
    ...(failurePolicy && { failurePolicy }),
    ...(allowPartial !== undefined && { allowPartial }),
    ...(limits && { limits }),
    ...(notify && { notify }),
    ...(expectedDuration !== undefined && { expectedDuration }),
    ...(eventTypes !== undefined && { eventTypes: [...eventTypes] }),
    tasks: [...tasks.definitions],
  };
  return { name, definition, handlers: tasks.handlers };
}
