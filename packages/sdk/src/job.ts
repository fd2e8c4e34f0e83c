import type { JobDefinition, Priority, TaskDefinition } from '@signalbox/protocol';
import { type MembersOf, refuseUnknown } from './known-members.ts';
import { type AnyTask, GRAPH_TASK_MEMBERS, type Task } from './task.ts';
import {
  type AnyHandler,
  type CommandOptions,
  type HandlerLike,
  type HttpOptions,
  isHandler,
  refuseUnknownNested,
  type TaskOptions,
  taskDefinitionOf,
  WORK_MEMBERS,
  type WorkOptions,
} from './work.ts';

/** Options of the job itself. */
export interface JobFields {
  readonly priority?: Priority;
  /** `skip`: while a run of the job is live, a submission returns that run instead of a new one. */
  readonly overlap?: 'allow' | 'skip';
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export type JobOptions = JobFields & TaskOptions;

export const JOB_MEMBERS = {
  priority: true,
  overlap: true,
  description: true,
  labels: true,
} as const satisfies MembersOf<JobFields>;
const WORK_JOB_MEMBERS = { ...JOB_MEMBERS, ...WORK_MEMBERS } as const satisfies MembersOf<
  JobFields & WorkOptions
>;
const GRAPH_JOB_MEMBERS = { ...JOB_MEMBERS, tasks: true } as const satisfies MembersOf<
  JobFields & Graph
>;

declare const types: unique symbol;

/** A job with its handlers, for `define`, `submit` and `work`. Created by `job()` or `pipeline()`. */
export interface Job<Input, Output> {
  readonly name: string;
  readonly definition: JobDefinition;
  /** Handlers by the name under which a worker offers them. */
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  /** Only for the type checker; does not exist at run time. */
  readonly [types]?: { readonly input: (input: Input) => void; readonly output: Output };
}

/** A job with any input and output. */
export type AnyJob = Job<never, unknown>;
export type InputOf<J> = J extends Job<infer Input, unknown> ? Input : never;
export type OutputOf<J> = J extends Job<never, infer Output> ? Output : never;

/** Every task is given the run's input, so that the run's input must suit them all. */
type GraphInput<Tasks> =
  Tasks extends Readonly<Record<string, Task<infer Input, unknown, string>>> ? Input : never;
type ParentOf<T> = T extends Task<never, unknown, infer Parent> ? Parent : never;
type LastTask<Tasks> = Exclude<keyof Tasks, ParentOf<Tasks[keyof Tasks]>>;
/** The output of a run is that of the task that ended last: one that no other waits for. */
type GraphOutput<Tasks> =
  Tasks[LastTask<Tasks>] extends Task<never, infer Output, string> ? Output : unknown;

export function job<Input = undefined, Output = unknown>(
  name: string,
  handler: HandlerLike<Input, Output>,
): Job<Input, Output>;
export function job<Input = undefined, Output = unknown>(
  name: string,
  options: JobOptions,
  handler: HandlerLike<Input, Output>,
): Job<Input, Output>;
export function job(
  name: string,
  options: JobFields & (CommandOptions | HttpOptions),
): Job<unknown, unknown>;
export function job<const Tasks extends Readonly<Record<string, AnyTask<keyof Tasks & string>>>>(
  name: string,
  options: JobFields & { readonly tasks: Tasks },
): Job<GraphInput<Tasks>, GraphOutput<Tasks>>;
export function job(
  name: string,
  first: AnyHandler | (JobFields & (WorkOptions | Graph)),
  second?: AnyHandler,
): AnyJob {
  const options = isHandler(first) ? {} : first;
  const handler = isHandler(first) ? first : second;
  const members = 'tasks' in options ? GRAPH_JOB_MEMBERS : WORK_JOB_MEMBERS;
  refuseUnknown(`the job ${name}`, Object.keys(options), members);
  if (!('tasks' in options)) refuseUnknownNested(`the job ${name}`, options);
  const handlers = new Map<string, AnyHandler>();
  if (handler !== undefined) handlers.set(name, handler);
  const tasks =
    'tasks' in options ? graphOf(name, options.tasks, handlers) : [taskDefinitionOf(options)];
  const definition: JobDefinition = {
    ...jobFieldsOf(options),
    ...(tasks.some((task) => Object.keys(task).length > 0) && { tasks }),
  };
  return { name, definition, handlers };
}

export function jobFieldsOf(fields: JobFields): JobFields {
  const { priority, overlap, description, labels } = fields;
  return {
    ...(priority !== undefined && { priority }),
    ...(overlap && { overlap }),
    ...(description !== undefined && { description }),
    ...(labels && { labels }),
  };
}

/** Returns the definition in the form of the HTTP API. */
export function toDefinition(job: AnyJob): JobDefinition {
  return job.definition;
}

interface Graph {
  readonly tasks: Readonly<Record<string, AnyTask>>;
}

function graphOf(
  job: string,
  tasks: Graph['tasks'],
  handlers: Map<string, AnyHandler>,
): TaskDefinition[] {
  return Object.entries(tasks).map(([name, { definition, handler, after, optionNames }]) => {
    const owner = `the task ${name} of the job ${job}`;
    refuseUnknown(owner, optionNames, GRAPH_TASK_MEMBERS);
    refuseUnknownNested(owner, definition);
    for (const parent of after) {
      if (Object.hasOwn(tasks, parent)) continue;
      throw new RangeError(
        `task ${name} of job ${job} comes after ${parent}, which is not a task of the job`,
      );
    }
    // With the job's name before it: tasks of two jobs may have the same name.
    const offered = `${job}.${name}`;
    if (handler !== null) handlers.set(offered, handler);
    return {
      name,
      ...(after.length > 0 && { after: [...after] }),
      ...(handler !== null && { handler: offered }),
      ...definition,
    };
  });
}
