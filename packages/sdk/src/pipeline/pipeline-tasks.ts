import type { Approval, Duration, EventWait, TaskDefinition } from '@signalbox/protocol';
import type { Job } from '../job.ts';
import type { CommandOptions, HandlerLike, HttpOptions, TaskOptions } from '../work.ts';
import type { Given, Giving, Taken } from './inputs.ts';
import type { Ref, Referring } from './reference.ts';
import type { Step, StepOptions } from './step.ts';

/** Tasks and edges that a dynamic task adds to its run. */
export interface AddedTasks {
  readonly tasks: readonly TaskDefinition[];
  readonly edges?: readonly { readonly from: string; readonly to: string }[];
}

/** What a fan-out is made from: a list of items, a number of parts, or an object that has it. */
export type FanOutSource = readonly unknown[] | number | { readonly total: number };

/** What one of the tasks of a fan-out is given. */
export interface Part<Item> {
  readonly item: Item;
  /** From 0 on. */
  readonly partition: number;
  readonly total: number;
}

/** What comes after a fan-out is given: what its tasks gave, and which of them did not succeed. */
export interface Parts<Output> {
  readonly state: string;
  readonly total: number;
  /** Of those that succeeded, by partition. */
  readonly results: readonly { readonly partition: number; readonly output: Output }[];
  readonly failures: readonly {
    readonly task: string;
    readonly partition: number;
    readonly state: string;
    readonly error: string | null;
  }[];
}

/** Who let it go on; a rejection fails the task. `by` is null where silence decided. */
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
 * The tasks of a pipeline as they are written down. Each method adds one and answers with what the
 * next ones are given. A task can only come after those that are there, so there is never a cycle.
 */
export interface Pipeline<Input = undefined> {
  /** What the run is submitted with. */
  readonly input: Ref<Input>;

  /** Work of a handler, a command or a request. */
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

  /** The same work once for each item of a list, in parallel; `inputs` come along with each. */
  fanOut<Item, Output, G extends Given = Nothing>(
    name: string,
    options: HandlerOptions & { readonly from: Referring<readonly Item[]>; readonly inputs?: G },
    handler: HandlerLike<Part<Item> & Taken<G>, Output>,
  ): Step<Parts<Output>>;
  /** The same work in so many parts. */
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

  /** A task whose output adds tasks to the run. */
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

  /** Waits for so long, or until an instant. */
  sleep(
    name: string,
    options: StepOptions & ({ readonly for: Duration } | { readonly until: Date | string }),
  ): Step<unknown>;

  /** Waits for a person. */
  approval(name: string, options?: StepOptions & Approval): Step<Decision>;

  /** Waits for an event that passes the filter (CEL over `event`), and gives it on. */
  event<Event = unknown>(name: string, options: StepOptions & EventWait): Step<Event>;

  /** A run of another job, whose output is the task's. */
  run<Output>(
    name: string,
    job: Job<Input, Output>,
    options?: StepOptions & NoInputs,
  ): Step<Output>;
  run<NestedInput, Output>(
    name: string,
    job: Job<NestedInput, Output>,
    options: StepOptions & { readonly inputs: Giving<NestedInput> },
  ): Step<Output>;
}
