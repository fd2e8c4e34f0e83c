import type { TaskDefinition } from '@signalbox/protocol';
import { instantText } from '../instant-text.ts';
import type { AnyJob } from '../job.ts';
import { refuseUnknown } from '../known-members.ts';
import { type AnyHandler, isHandler, refuseUnknownNested, taskDefinitionOf } from '../work.ts';
import { type Given, placesIn, sourcesOf } from './inputs.ts';
import type { Pipeline } from './pipeline-tasks.ts';
import { type Place, placeOf, type Ref, reference, referring } from './reference.ts';
import { requireInputs } from './require-inputs.ts';
import type { Step, StepOptions } from './step.ts';
import {
  type ApprovalOptions,
  type DynamicOptions,
  type EventOptions,
  type FanOutOptions,
  type RunOptions,
  type SleepOptions,
  STEP_MEMBERS,
  type WorkStepOptions,
} from './step-members.ts';

type Added = Omit<TaskDefinition, 'name' | 'after' | 'when' | 'inputs'>;

/** The tasks of one pipeline, in the order in which they were added. */
export class PipelineTasks<Input> implements Pipeline<Input> {
  readonly input: Ref<Input>;
  readonly definitions: TaskDefinition[] = [];
  readonly handlers = new Map<string, AnyHandler>();
  readonly #job: string;

  constructor(job: string) {
    this.#job = job;
    this.input = reference({ owner: this, task: null, path: '' });
  }

  task(name: string, first: AnyHandler | WorkStepOptions, second?: AnyHandler): Step<never> {
    const options = isHandler(first) ? {} : first;
    const handler = isHandler(first) ? first : second;
    this.#refuseUnknown(name, options, 'task');
    return this.#work(name, { options, handler, more: {} });
  }

  fanOut(name: string, options: FanOutOptions, handler?: AnyHandler): Step<never> {
    this.#refuseUnknown(name, options, 'fanOut');
    const from = this.#require(name, placeOf(options.from));
    const fanOut = {
      ...(from.task !== null && { from: from.task }),
      ...(from.path !== '' && { path: from.path }),
    };
    return this.#work(name, { options, handler, more: { fanOut } });
  }

  dynamic(name: string, first: AnyHandler | DynamicOptions, second?: AnyHandler): Step<never> {
    const options = isHandler(first) ? {} : first;
    const handler = isHandler(first) ? first : second;
    this.#refuseUnknown(name, options, 'dynamic');
    if (handler === undefined) throw this.#wrong(name, 'has no handler');
    return this.#work(name, { options, handler, more: { dynamic: true } });
  }

  sleep(name: string, options: SleepOptions): Step<never> {
    this.#refuseUnknown(name, options, 'sleep');
    const { for: time, until } = options;
    const sleep =
      until === undefined
        ? { ...(time !== undefined && { for: time }) }
        : { until: instantText(`${name}: until`, until) };
    return this.#add(name, options, { sleep });
  }

  approval(name: string, options: ApprovalOptions = {}): Step<never> {
    this.#refuseUnknown(name, options, 'approval');
    const { message, timeout, default: byDefault, onReject } = options;
    const approval = {
      ...(message !== undefined && { message }),
      ...(timeout !== undefined && { timeout }),
      ...(byDefault && { default: byDefault }),
      ...(onReject && { onReject }),
    };
    return this.#add(name, options, { approval });
  }

  event(name: string, options: EventOptions): Step<never> {
    this.#refuseUnknown(name, options, 'event');
    const { type, filter, timeout, default: byDefault } = options;
    const event = {
      type,
      ...(filter !== undefined && { filter }),
      ...(timeout !== undefined && { timeout }),
      ...(byDefault && { default: byDefault }),
    };
    return this.#add(name, options, { event });
  }

  run(name: string, job: AnyJob, options: RunOptions = {}): Step<never> {
    this.#refuseUnknown(name, options, 'run');
    const { onReject } = options;
    return this.#add(name, options, { run: { job: job.name, ...(onReject && { onReject }) } });
  }

  /** The output of a run is that of its last task, so there must be exactly one. */
  requireLast(step: Step<unknown>): void {
    const { task } = this.#require(step.name, placeOf(step));
    const parents = new Set(this.definitions.flatMap(({ after = [] }) => after));
    const ends = this.definitions.flatMap(({ name = '' }) => (parents.has(name) ? [] : [name]));
    if (ends.length === 1 && ends[0] === task) return;
    const others = ends.filter((name) => name !== task).join(', ');
    throw this.#wrong(
      step.name,
      `cannot be returned as the last task: no task comes after ${others} either`,
    );
  }

  #work(
    name: string,
    of: { options: FanOutOptions; handler: AnyHandler | undefined; more: Added },
  ): Step<never> {
    const { options, handler, more } = of;
    // With the job's name before it: tasks of two jobs may have the same name.
    const offered = `${this.#job}.${name}`;
    const step = this.#add(name, options, {
      ...taskDefinitionOf(options),
      ...more,
      ...(handler !== undefined && { handler: offered }),
    });
    if (handler !== undefined) {
      this.handlers.set(offered, requireInputs(handler, options.inputs ?? {}));
    }
    return step;
  }

  #add(name: string, options: StepOptions & { inputs?: Given; from?: object }, work: Added) {
    if (this.definitions.some((other) => other.name === name)) {
      throw this.#wrong(name, 'is defined twice');
    }
    const { when, ifParentSkipped, inputs } = options;
    const after = this.#parentsOf(name, options);
    const definition: TaskDefinition = {
      name,
      ...(after.length > 0 && { after }),
      ...(when !== undefined && { when: typeof when === 'string' ? when : when.text }),
      ...(ifParentSkipped && { ifParentSkipped }),
      ...(inputs && { inputs: sourcesOf(inputs, (what) => this.#wrong(name, what)) }),
      ...work,
    };
    this.definitions.push(definition);
    const place = { owner: this, task: name, path: '' };
    const output = reference<never>(place);
    return referring<never, { name: string; output: Ref<never> }>(place, { name, output });
  }

  /** Those it names, and those whose outputs it is given or asked about: data follows edges. */
  #parentsOf(
    name: string,
    options: StepOptions & { readonly inputs?: Given; readonly from?: object },
  ): string[] {
    const { after = [], when, inputs = {}, from } = options;
    const places = [
      ...after.map(placeOf),
      ...(from === undefined ? [] : [placeOf(from)]),
      ...placesIn(inputs),
      ...(typeof when === 'object' ? when.places : []),
    ];
    const parents = places.map((place) => this.#require(name, place).task);
    return [...new Set(parents)].filter((parent) => parent !== null);
  }

  #require(name: string, place: Place | null): Place {
    if (place?.owner === this) return place;
    throw this.#wrong(
      name,
      place === null
        ? 'refers to a value that is not a task'
        : 'refers to a task of another pipeline',
    );
  }

  #refuseUnknown(name: string, options: object, kind: keyof typeof STEP_MEMBERS): void {
    const of = `the task ${name} of the pipeline ${this.#job}`;
    refuseUnknown(of, Object.keys(options), STEP_MEMBERS[kind]);
    refuseUnknownNested(of, options);
  }

  #wrong(name: string, what: string): RangeError {
    return new RangeError(`the task ${name} of the pipeline ${this.#job} ${what}`);
  }
}
