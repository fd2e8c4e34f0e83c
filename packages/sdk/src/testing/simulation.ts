import type { Effect } from '@signalbox/engine';
import { ApiError } from '@signalbox/node/context';
import {
  approveTask,
  cancelRun,
  defineJob,
  getRun,
  listRuns,
  retryRun,
  runOutput,
  saveSchedule,
  signalTask,
  submitRuns,
} from '@signalbox/node/operations';
import {
  COMMAND_ISOLATED,
  type Duration,
  parseDuration,
  type RunView,
  type ScheduleDefinition,
} from '@signalbox/protocol';
import { type Assign, failureOf, type Handler } from '@signalbox/worker';
import type { SubmitArgs } from '../box-options.ts';
import { requireOption } from '../check-numbers.ts';
import { signalboxError } from '../direct/direct-backend.ts';
import { submitItem } from '../direct/submit-item.ts';
import { SignalboxError } from '../errors.ts';
import type { AnyJob, Job } from '../job.ts';
import { checkOptions } from '../known-members.ts';
import { prepareSubmission, SUBMIT_MEMBERS, type SubmitOptions } from '../prepare-submission.ts';
import type { AnyHandler } from '../work.ts';
import { handlersOf } from '../work-on.ts';
import { type Behaviour, Faults } from './faults.ts';
import { loadedHandler } from './loaded-handler.ts';
import { requireTask } from './require-task.ts';
import { settleHandlers } from './settle-handlers.ts';
import {
  type OfTask,
  SIMULATE_MEMBERS,
  type SimulateParams,
  startOf,
  WHEN_MEMBERS,
} from './simulate-params.ts';
import { SimulatedRun } from './simulated-run.ts';
import { SIMULATED, type VirtualNode, virtualNode } from './virtual-node.ts';
import { VirtualTime } from './virtual-time.ts';
import { type LoggedLine, VirtualWorker } from './virtual-worker.ts';

/** The node takes over its partition before the simulated instant. */
const START_MS = 1_000;

/** Runs jobs on the real engine with a virtual clock. Created by `simulate`. */
export class Simulation implements AsyncDisposable {
  readonly #params: SimulateParams;
  readonly #time: VirtualTime;
  readonly #node: VirtualNode;
  readonly #handlers: ReadonlyMap<string, AnyHandler>;
  /** Handlers in separate files, by executor. */
  readonly #loaded = new Map<string, Handler>();
  readonly #faults = new Faults();
  readonly #lines: LoggedLine[] = [];
  #worker: VirtualWorker | null = null;
  #workers = 0;
  #fatal: { readonly error: unknown } | null = null;

  constructor(params: SimulateParams) {
    checkOptions('simulate', params, SIMULATE_MEMBERS);
    requireOption('worker.slots', 'concurrency', params.concurrency);
    requireOption('tenant.maxRunning', 'maxRunning', params.maxRunning);
    this.#params = params;
    this.#handlers = handlersOf(params.jobs);
    const at = startOf(params.at);
    this.#time = new VirtualTime(at - START_MS);
    this.#node = virtualNode({
      time: this.#time,
      seed: params.seed ?? 1,
      release: (effects) => this.#receive(effects),
      onFatal: (error) => {
        this.#fatal = { error };
      },
    });
  }

  async start(): Promise<void> {
    void this.#node.loop.start();
    await this.advance(START_MS);
    const { context, loop } = this.#node;
    const { maxRunning: runningMax } = this.#params;
    if (runningMax !== undefined) {
      const quota = { tenant: SIMULATED.tenant, weight: 1, runningMax } as const;
      await this.#drive(loop.execute({ kind: 'setTenant', ...quota }));
    }
    for (const { name, definition } of this.#params.jobs) {
      await this.#drive(defineJob(context, SIMULATED, { name, definition }));
    }
    for (const [name, handler] of this.#handlers) {
      if (typeof handler === 'function') continue;
      this.#loaded.set(`handler:${name}`, await loadedHandler(handler));
    }
    this.#startWorker();
    await this.advance(0);
  }

  get now(): Date {
    return new Date(this.#time.nowMs);
  }

  /** Advances time: delays, retries and timeouts happen in order, handlers settle in between. */
  async advance(duration: Duration): Promise<void> {
    await this.#time.advance(parseDuration(duration), () => this.#settle());
    if (this.#fatal !== null) throw this.#fatal.error;
  }

  /** Submits a run, and processes everything that is due now. */
  async submit<Input, Output>(
    job: Job<Input, Output>,
    ...[input, options = {}]: SubmitArgs<Input>
  ): Promise<SimulatedRun<Output>> {
    checkOptions('submit', options, SUBMIT_MEMBERS);
    const item = submitItem(prepareSubmission(job.name, input, options as SubmitOptions));
    const params = { items: [item], single: true };
    const [submitted] = await this.#drive(submitRuns(this.#node.context, SIMULATED, params));
    if (submitted === undefined) throw new Error('a submission returned no result');
    return new SimulatedRun<Output>(this, submitted);
  }

  /** Creates or updates a schedule of the job; its windows fire as time passes. */
  async schedule(
    name: string,
    { name: job }: AnyJob,
    when: Omit<ScheduleDefinition, 'job'>,
  ): Promise<void> {
    checkOptions('schedule', when, WHEN_MEMBERS);
    const params = { name, definition: { ...when, job } };
    await this.#drive(saveSchedule(this.#node.context, SIMULATED, params));
  }

  run(id: string): Promise<RunView> {
    return this.#drive(getRun(this.#node.context, SIMULATED, { id }));
  }

  /** Every run, oldest first. */
  async runs(): Promise<readonly RunView[]> {
    const heads: RunView[] = [];
    for (let cursor: string | undefined; ; ) {
      const filter = { limit: 1_000, ...(cursor !== undefined && { cursor }) };
      const page = await this.#drive(listRuns(this.#node.context, SIMULATED, filter));
      heads.push(...page.items);
      cursor = page.next;
      if (cursor === undefined) break;
    }
    return Promise.all(heads.reverse().map(({ id }) => this.run(id)));
  }

  async cancel(id: string, reason = ''): Promise<void> {
    await this.#drive(cancelRun(this.#node.context, SIMULATED, { id, reason }));
    await this.advance(0);
  }

  /** Retries a run that did not succeed as a new run, and processes everything that is due now. */
  async retry(id: string, reason = ''): Promise<SimulatedRun<unknown>> {
    const submitted = await this.#drive(retryRun(this.#node.context, SIMULATED, { id, reason }));
    return new SimulatedRun(this, submitted);
  }

  /** The output of a run that has ended, as it is stored. */
  output(id: string): Promise<Uint8Array> {
    return this.#drive(runOutput(this.#node.context, SIMULATED, { id }));
  }

  /** Approves or rejects a task that waits for an approval. */
  async approve(
    id: string,
    task: string,
    options: { decision?: 'approve' | 'reject'; comment?: string } = {},
  ): Promise<void> {
    checkOptions('approve', options, { decision: true, comment: true });
    const params = { id, task, decision: 'approve' as const, ...options };
    await this.#drive(approveTask(this.#node.context, SIMULATED, params));
    await this.advance(0);
  }

  /** Delivers the event that a task waits for. */
  async signal(id: string, task: string, event: unknown): Promise<void> {
    await this.#drive(signalTask(this.#node.context, SIMULATED, { id, task, event }));
    await this.advance(0);
  }

  /** The next attempt of the job ends with this error, before its handler is called. */
  failNext(job: AnyJob, error: unknown, options: OfTask & { times?: number } = {}): void {
    checkOptions('failNext', options, { task: true, times: true });
    const { failures } = this.#behaviourOf(job, options);
    for (let i = 0; i < (options.times ?? 1); i++) failures.push(error);
  }

  /** From now on every attempt of the job lasts that long in virtual time. */
  takes(job: AnyJob, duration: Duration, options: OfTask = {}): void {
    checkOptions('takes', options, { task: true });
    this.#behaviourOf(job, options).takesMs = parseDuration(duration);
  }

  /** Runs in place of a command, a request or a handler. */
  fake(job: AnyJob, handler: Handler, options: OfTask = {}): void {
    checkOptions('fake', options, { task: true });
    this.#behaviourOf(job, options).fake = handler;
  }

  #behaviourOf({ name, definition }: AnyJob, { task }: OfTask): Behaviour {
    if (!this.#params.jobs.some((job) => job.name === name)) {
      throw new SignalboxError('invalid', `the simulation has no job ${name}`, { field: 'job' });
    }
    if (task !== undefined) requireTask(name, definition, task);
    return this.#faults.of(name, task);
  }

  /** The worker is lost with all its attempts, and another one replaces it. */
  async loseWorker(): Promise<void> {
    this.#worker?.lose();
    this.#startWorker();
    await this.advance(0);
  }

  /** What handlers have logged. */
  logs(run?: string): readonly LoggedLine[] {
    return run === undefined ? this.#lines : this.#lines.filter((line) => line.run === run);
  }

  async close(): Promise<void> {
    this.#worker?.lose();
    this.#node.nested.stop();
    this.#node.loop.halt();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #drive<T>(work: Promise<T>): Promise<T> {
    // It may fail while time advances; the await below throws the error.
    work.catch(() => {});
    await this.advance(0);
    try {
      return await work;
    } catch (error) {
      throw error instanceof ApiError ? signalboxError(error) : error;
    }
  }

  #startWorker(): void {
    this.#workers++;
    this.#worker = new VirtualWorker({
      name: `simulated-worker-${this.#workers}`,
      slots: this.#params.concurrency ?? 100,
      executors: [
        ...[...this.#handlers.keys()].map((name) => `handler:${name}`),
        'command',
        COMMAND_ISOLATED,
        'http',
      ],
      labels: this.#params.labels ?? {},
      zone: this.#params.zone ?? 'simulated',
      node: this.#node,
      time: this.#time,
      handlerFor: (assign) => this.#handlerFor(assign),
      failureFor: ({ job, task }) => {
        const failure = this.#faults.takeFailure(job, task);
        return failure && failureOf(failure.error);
      },
      takesMs: ({ job, task }) => this.#faults.takesMs(job, task),
      logged: (line) => this.#lines.push(line),
    });
  }

  #handlerFor({ job, task, executor }: Assign): Handler | null {
    const own = this.#handlers.get(executor.replace(/^handler:/, ''));
    const handler = this.#faults.fake(job, task) ?? own;
    return typeof handler === 'function' ? handler : (this.#loaded.get(executor) ?? null);
  }

  #receive(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if ('worker' in effect) this.#worker?.receive(effect);
      else if (effect.kind === 'startRun') this.#node.nested.start(effect);
    }
  }

  #settle(): Promise<void> {
    const patienceMs = parseDuration(this.#params.patience ?? 50);
    return settleHandlers(() => this.#worker?.active ?? [], patienceMs);
  }
}

/** Starts a simulation of these jobs: no server, no waiting, reproducible. */
export async function simulate(params: SimulateParams): Promise<Simulation> {
  const simulation = new Simulation(params);
  await simulation.start();
  return simulation;
}
