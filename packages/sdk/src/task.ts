import type { TaskDefinition } from '@signalbox/protocol';
import type { MembersOf } from './known-members.ts';
import {
  type AnyHandler,
  type CommandOptions,
  type HandlerLike,
  type HttpOptions,
  isHandler,
  type TaskOptions,
  taskDefinitionOf,
  WORK_MEMBERS,
  type WorkOptions,
} from './work.ts';

interface After<Parent extends string> {
  /** Tasks of the same job that must succeed first. */
  readonly after?: readonly Parent[];
}

/** One task of a job with several tasks. The job gives it its name. */
export interface Task<Input, Output, Parent extends string = string> {
  readonly definition: TaskDefinition;
  readonly handler: HandlerLike<Input, Output> | null;
  readonly after: readonly Parent[];
  /** The names of its options, which the job checks, because only the job knows the name of the task. */
  readonly optionNames: readonly string[];
}

/** A task with any input and output. */
export type AnyTask<Parent extends string = string> = Task<never, unknown, Parent>;

export const GRAPH_TASK_MEMBERS = { after: true, ...WORK_MEMBERS } as const satisfies MembersOf<
  WorkOptions & After<string>
>;

export function task<Input = undefined, Output = unknown>(
  handler: HandlerLike<Input, Output>,
): Task<Input, Output, never>;
export function task<Input = undefined, Output = unknown, const Parent extends string = never>(
  options: TaskOptions & After<Parent>,
  handler: HandlerLike<Input, Output>,
): Task<Input, Output, Parent>;
export function task<const Parent extends string = never>(
  options: (CommandOptions | HttpOptions) & After<Parent>,
): Task<unknown, unknown, Parent>;
export function task(
  first: AnyHandler | (WorkOptions & After<string>),
  second?: AnyHandler,
): AnyTask {
  const options = isHandler(first) ? {} : first;
  const handler = isHandler(first) ? first : (second ?? null);
  const after = options.after ?? [];
  return {
    definition: taskDefinitionOf(options),
    handler,
    after,
    optionNames: Object.keys(options),
  };
}
