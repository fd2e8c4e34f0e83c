import type { Approval, Duration, EventWait, NestedRun, TaskDefinition } from '@signalbox/protocol';
import type { Job } from '../job.ts';
import type { CommandOptions, HandlerLike, HttpOptions, TaskOptions } from '../work.ts';
import type { Given, Giving, Taken } from './inputs.ts';
import type { Ref, Referring } from './reference.ts';
import type { Step, StepOptions } from './step.ts';

/** Tasks and edges that a dynamic task adds to the run. */
export interface AddedTasks {
  readonly tasks: readonly TaskDefinition[];
  readonly edges?: readonly { readonly from: string; readonly to: string }[];
}

/** Source of a fan-out: a list of items, a number of parts, or an object with a `total`. */
export type FanOutSource = readonly unknown[] | number | { readonly total: number };

/** Input of one child of a fan-out. */
export interface Part<Item> {
  readonly item: Item;
  /** Index of the child, from 0. */
  readonly partition: number;
  readonly total: number;
}

/** Output of a fan-out: the outputs of its children, and the children that did not succeed. */
export interface Parts<Output> {
  readonly state: string;
  readonly total: number;
  /** Outputs of the succeeded children, by partition. */
  readonly results: readonly { readonly partition: number; readonly output: Output }[];
  readonly failures: readonly {
    readonly task: string;
    readonly partition: number;
    readonly state: string;
    readonly error: string | null;
  }[];
}

/** Output of an approval; a rejection fails the task. `by` is null if the timeout decided. */
export interface Decision {
  readonly decision: 'approve';
  readonly by: string | null;
  readonly atMs: number;
  readonly comment: string;
}

type HandlerOptions = TaskOptions & StepOptions;
type WorkOfItsOwn = (CommandOptions | HttpOptions) & StepOptions & { readonly inputs?: Given };
type Nothing = Readonly<Record<never, never>>;
/** Says that a choice without inputs is meant: the task is given the run's input. */
interface NoInputs {
  readonly inputs?: never;
}

/**
 * Adds tasks to a pipeline. Each method adds a task and returns a reference that later tasks can use.
 * A task can only come after existing tasks, so there is never a cycle.
 */
export interface Pipeline<Input = undefined> {
  /** Reference to the input of the run. */
  readonly input: Ref<Input>;

  /** Adds a task that runs a handler, a command or an HTTP request. */
  task<Output>(name: string, handler: HandlerLike<Input, Output>): Step<Output>;
  task<G extends Given, Output>(
    name: string,
    options: HandlerOptions & { readonly inputs: G },
    handler: HandlerLike<Taken<G>, Output>,
  ): Step<Output>;
  task<Output>(
    name: string,
    options: HandlerOptions & NoInputs,
    handler: HandlerLike<Input, Output>,
  ): Step<Output>;
  task(name: string, options: WorkOfItsOwn): Step<unknown>;

  /** Adds a task that runs once for each item of a list, in parallel; each child also receives `inputs`. */
  fanOut<Item, Output, G extends Given = Nothing>(
    name: string,
    options: HandlerOptions & { readonly from: Referring<readonly Item[]>; readonly inputs?: G },
    handler: HandlerLike<Part<Item> & Taken<G>, Output>,
  ): Step<Parts<Output>>;
  /** Adds a task that runs as the given number of children, in parallel. */
  fanOut<Output, G extends Given = Nothing>(
    name: string,
    options: HandlerOptions & {
      readonly from: Referring<number | { readonly total: number }>;
      readonly inputs?: G;
    },
    handler: HandlerLike<Omit<Part<never>, 'item'> & Taken<G>, Output>,
  ): Step<Parts<Output>>;
  fanOut(
    name: string,
    options: WorkOfItsOwn & { readonly from: Referring<FanOutSource> },
  ): Step<Parts<unknown>>;

  /** Adds a task whose output adds more tasks to the run. */
  dynamic(name: string, handler: HandlerLike<Input, AddedTasks>): Step<AddedTasks>;
  dynamic(
    name: string,
    options: HandlerOptions & NoInputs,
    handler: HandlerLike<Input, AddedTasks>,
  ): Step<AddedTasks>;
  dynamic<G extends Given>(
    name: string,
    options: HandlerOptions & { readonly inputs: G },
    handler: HandlerLike<Taken<G>, AddedTasks>,
  ): Step<AddedTasks>;

  /** Adds a task that waits for a duration, or until a time. */
  sleep(
    name: string,
    options: StepOptions & ({ readonly for: Duration } | { readonly until: Date | string }),
  ): Step<unknown>;

  /** Adds a task that waits for an approval. */
  approval(name: string, options?: StepOptions & Approval): Step<Decision>;

  /** Adds a task that waits for an event that passes `filter` (CEL over `event`); the event is its output. */
  event<Event = unknown>(name: string, options: StepOptions & EventWait): Step<Event>;

  /** Adds a task that starts a run of another job; the output of that run is its output. */
  run<Output>(
    name: string,
    job: Job<Input, Output>,
    options?: StepOptions & NoInputs & Omit<NestedRun, 'job'>,
  ): Step<Output>;
  run<NestedInput, Output>(
    name: string,
    job: Job<NestedInput, Output>,
    options: StepOptions & Omit<NestedRun, 'job'> & { readonly inputs: Giving<NestedInput> },
  ): Step<Output>;
}
