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
  ScheduleDefinition,
} from '@signalbox/protocol';
import { type Assign, failureOf, type Handler } from '@signalbox/worker';
import { requireOption } from '../check-numbers.ts';
import { signalboxError } from '../direct/direct-backend.ts';
import { submitItem } from '../direct/submit-item.ts';
import { SignalboxError } from '../errors.ts';
import type { AnyJob, Job } from '../job.ts';
import { checkOptions, type MembersOf } from '../known-members.ts';
import { prepareSubmission, SUBMIT_MEMBERS, type SubmitOptions } from '../prepare-submission.ts';
import type { SubmitArgs } from '../signalbox.ts';
import type { AnyHandler } from '../work.ts';
import { handlersOf } from '../work-on.ts';
import { type Behaviour, Faults } from './faults.ts';
import { loadedHandler } from './loaded-handler.ts';
import { requireTask } from './require-task.ts';
import { settleHandlers } from './settle-handlers.ts';
import { SimulatedRun } from './simulated-run.ts';
import { SIMULATED, type VirtualNode, virtualNode } from './virtual-node.ts';
import { VirtualTime } from './virtual-time.ts';
import { type LoggedLine, VirtualWorker } from './virtual-worker.ts';

/** Before the simulated instant: the node takes its partition over. */
const START_MS = 1_000;

export interface SimulateParams {
  readonly jobs: readonly AnyJob[];
  /** When the simulation begins; now where nothing is said. */
  readonly at?: string | Date;
  /** The same seed gives the same delays and the same order. */
  readonly seed?: number;
  /** How many attempts the simulated worker runs at once; a hundred where nothing is said. */
  readonly concurrency?: number;
  /** Of the simulated worker, for tasks that choose their workers by them. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
  /** The quota of the tenant: how many of its attempts may run at once, P0 excepted. */
  readonly maxRunning?: number;
  /** Real time that a handler may take between two steps before time goes on without it. */
  readonly patience?: Duration;
}

const SIMULATE_MEMBERS = {
  jobs: true,
  at: true,
  seed: true,
  concurrency: true,
  labels: true,
  zone: true,
  maxRunning: true,
  patience: true,
} as const satisfies MembersOf<SimulateParams>;

const WHEN_MEMBERS = Object.fromEntries(
  Object.keys(ScheduleDefinition.properties)
    .filter((name) => name !== 'job')
    .map((name) => [name, true as const]),
);

/** Which attempts are meant: those of the job, or of one of its tasks. */
export interface OfTask {
  readonly task?: string;
}

/** Jobs on the real engine, in a world where time moves only when told. Made by `simulate`. */
export class Simulation implements AsyncDisposable {
  readonly #params: SimulateParams;
  readonly #time: VirtualTime;
  readonly #node: VirtualNode;
  readonly #handlers: ReadonlyMap<string, AnyHandler>;
  /** Those in files of their own, by executor. */
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

  /** Lets time pass: delays, retries and timeouts happen in order, handlers settle in between. */
  async advance(duration: Duration): Promise<void> {
    await this.#time.advance(parseDuration(duration), () => this.#settle());
    if (this.#fatal !== null) throw this.#fatal.error;
  }

  /** Submits, and lets happen what happens at once. */
  async submit<Input, Output>(
    job: Job<Input, Output>,
    ...[input, options = {}]: SubmitArgs<Input>
  ): Promise<SimulatedRun<Output>> {
    checkOptions('submit', options, SUBMIT_MEMBERS);
    const item = submitItem(prepareSubmission(job.name, input, options as SubmitOptions));
    const { context } = this.#node;
    const [submitted] = await this.#drive(
      submitRuns(context, SIMULATED, { items: [item], single: true }),
    );
    if (submitted === undefined) throw new Error('a submission returned no result');
    return new SimulatedRun<Output>(this, submitted);
  }

  /** Saves a schedule of the job, or changes it; its windows fire as time passes. */
  async schedule(
    name: string,
    { name: job }: AnyJob,
    when: Omit<ScheduleDefinition, 'job'>,
  ): Promise<void> {
    checkOptions('schedule', when, WHEN_MEMBERS);
    const wanted = { name, definition: { ...when, job } };
    await this.#drive(saveSchedule(this.#node.context, SIMULATED, wanted));
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

  /** Tries a run that did not succeed again, as a new run, and lets happen what happens at once. */
  async retry(id: string, reason = ''): Promise<SimulatedRun<unknown>> {
    const submitted = await this.#drive(retryRun(this.#node.context, SIMULATED, { id, reason }));
    return new SimulatedRun(this, submitted);
  }

  /** The output of a run that has ended, as it is stored. */
  output(id: string): Promise<Uint8Array> {
    return this.#drive(runOutput(this.#node.context, SIMULATED, { id }));
  }

  /** A person lets a task go on that waits for one, or rejects it. */
  async approve(
    id: string,
    task: string,
    said: { decision?: 'approve' | 'reject'; comment?: string } = {},
  ): Promise<void> {
    checkOptions('approve', said, { decision: true, comment: true });
    const params = { id, task, decision: 'approve' as const, ...said };
    await this.#drive(approveTask(this.#node.context, SIMULATED, params));
    await this.advance(0);
  }

  /** The event has come that a task waits for. */
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

  /** The worker is gone with all that it ran; another one takes its place. */
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
    // It fails before or while time is driven; whoever awaits it is told.
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

  async #settle(): Promise<void> {
    await settleHandlers(
      () => this.#worker?.active ?? [],
      parseDuration(this.#params.patience ?? 50),
    );
  }
}

/** A world with these jobs in it: no server, no waiting, the same every time. */
export async function simulate(params: SimulateParams): Promise<Simulation> {
  const simulation = new Simulation(params);
  await simulation.start();
  return simulation;
}

function startOf(at: SimulateParams['at']): number {
  const ms = new Date(at ?? Date.now()).getTime();
  if (!Number.isNaN(ms)) return ms;
  throw new SignalboxError('invalid', `at must be a date, not ${String(at)}`, { field: 'at' });
}
