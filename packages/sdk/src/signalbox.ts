import {
  type Diagnosis,
  type Job as JobView,
  type LogLine,
  parseTaskId,
  priorityName,
  type Submitted,
} from '@signalbox/protocol';
import type { Backend, BoxEvent } from './backend.ts';
import {
  CONNECT_MEMBERS,
  type ConnectOptions,
  ITEM_MEMBERS,
  MANY_MEMBERS,
  type ManyItem,
  type ManyOptions,
  OPEN_MEMBERS,
  type OpenOptions,
  type SubmitArgs,
} from './box-options.ts';
import { exactJson, requireDurationOption, requireFinite, requireOption } from './check-numbers.ts';
import { ClosableBackend, closedError } from './closable-backend.ts';
import { SignalboxError } from './errors.ts';
import { HttpBackend } from './http/http-backend.ts';
import type { AnyJob, Job } from './job.ts';
import { checkOptions, hasOnly } from './known-members.ts';
import { prepareSubmission, SUBMIT_MEMBERS, type SubmitOptions } from './prepare-submission.ts';
import { type LogsOptions, readLogs } from './read-logs.ts';
import { RunHandle } from './run-handle.ts';
import { type Runs, runsOf } from './runs.ts';
import { SubmissionBatcher } from './submission-batcher.ts';
import { submitInBatches } from './submit-in-batches.ts';
import { abortable } from './within-time.ts';
import {
  handlersOf,
  requireExecutors,
  WORK_ON_MEMBERS,
  type WorkingWorker,
  type WorkOn,
  type WorkOnOptions,
} from './work-on.ts';

/**
 * A client of a scheduler: of a node in this process (`open`) or of a remote node (`connect`).
 * Both offer the same methods.
 */
export class Signalbox implements AsyncDisposable {
  readonly #backend: ClosableBackend;
  /** By priority: a node under load rejects a batch by its lowest priority. */
  readonly #batchers = new Map<string, SubmissionBatcher>();
  readonly #submitting = new Set<Promise<unknown>>();
  readonly #workers = new Set<WorkingWorker>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #closed: Promise<void> | null = null;

  private constructor(backend: Backend) {
    this.#backend = new ClosableBackend(backend);
    this.runs = runsOf(this.#backend);
  }

  /** Opens a node in this process, with the store `file:./signalbox.db`, `memory:` or `postgres://…`. */
  static async open(address: string, options: OpenOptions = {}): Promise<Signalbox> {
    checkOptions('open', options, OPEN_MEMBERS);
    // Imported here, because clients of a remote node do not need it.
    const { openEmbedded } = await import('./direct/open-embedded.ts');
    return new Signalbox(await openEmbedded(address, options));
  }

  /**
   * Connects to a remote node. Default address: `SIGNALBOX_URL`, else `http://127.0.0.1:7070`.
   * Sends nothing yet: the first request reports a wrong key.
   */
  static async connect(
    url: string = process.env['SIGNALBOX_URL'] ?? LOCAL_URL,
    options: ConnectOptions = {},
  ): Promise<Signalbox> {
    checkOptions('connect', options, CONNECT_MEMBERS);
    const key = options.key ?? process.env['SIGNALBOX_KEY'];
    return new Signalbox(new HttpBackend({ url, ...options, key }));
  }

  /** Creates or updates the jobs, as `signalbox apply` does; those that have not changed keep their version. */
  async apply(jobs: readonly AnyJob[]): Promise<readonly JobView[]> {
    this.#backend.requireOpen();
    handlersOf(jobs);
    for (const { definition } of jobs) requireFinite(definition);
    return Promise.all(jobs.map((job) => this.#backend.apply(job.name, job.definition)));
  }

  /** Submits a run. Resolves when the run is durable: no crash can lose it afterwards. */
  submit<Input, Output>(
    job: Job<Input, Output>,
    ...args: SubmitArgs<Input>
  ): Promise<RunHandle<Output>>;
  submit(job: string, input?: unknown, options?: SubmitOptions): Promise<RunHandle<unknown>>;
  async submit(
    job: AnyJob | string,
    input?: unknown,
    options: SubmitOptions = {},
  ): Promise<RunHandle<unknown>> {
    checkOptions('submit', options, SUBMIT_MEMBERS);
    this.#backend.requireOpen();
    options.signal?.throwIfAborted();
    const name = typeof job === 'string' ? job : job.name;
    const item = prepareSubmission(name, input, options);
    const submitted = await abortable(this.#batcherOf(job, options).submit(item), options.signal);
    return this.#handle(name, submitted);
  }

  /**
   * Submits many runs, up to a thousand of the same priority per request, fewer if the inputs are large. If one
   * is invalid, no run of its request is created. `mayBeDone` of an error says that earlier requests were accepted.
   */
  async submitMany<Input, Output>(
    job: Job<Input, Output>,
    items: readonly ManyItem<Input>[],
    options: ManyOptions = {},
  ): Promise<readonly RunHandle<Output>[]> {
    checkOptions('submitMany', options, MANY_MEMBERS);
    this.#backend.requireOpen();
    const prepared = items.map((item, i) => {
      const isKnown = typeof item === 'object' && item !== null && hasOnly(item, ITEM_MEMBERS);
      if (!isKnown) checkOptions(`items[${i}] of submitMany`, item, ITEM_MEMBERS);
      return prepareSubmission(job.name, item.input, item);
    });
    const signals = new Set<AbortSignal>();
    if (options.signal !== undefined) signals.add(options.signal);
    for (const { signal } of items) if (signal !== undefined) signals.add(signal);
    const signal = signals.size === 0 ? undefined : AbortSignal.any([...signals]);
    signal?.throwIfAborted();
    const submitted = submitInBatches({
      prepared,
      priorityOf: ({ head }) => priorityName(head.priority) ?? priorityOf(job),
      submitAll: (batch) => this.#backend.submitAll(batch),
      signal,
    });
    const runs = await abortable(this.#until(this.#submitting, submitted), signal);
    return runs.map((run) => this.#handle<Output>(job.name, run));
  }

  /** Reads and changes existing runs. */
  readonly runs: Runs;

  cancel(id: string, reason?: string): Promise<void> {
    return this.#backend.cancel(id, reason);
  }

  /** Retries an ended run as a new run with the same job version and input. */
  async retry(id: string, reason?: string): Promise<RunHandle<unknown>> {
    return new RunHandle(this.#backend, await this.#backend.retry(id, reason));
  }

  /** Approves a task that waits for an approval: `box.approve('<run>:<task>')`. */
  approve(taskId: string, comment?: string): Promise<void> {
    return this.#decide(taskId, 'approve', comment);
  }

  /** Rejects a task that waits for an approval; the task fails. */
  reject(taskId: string, comment?: string): Promise<void> {
    return this.#decide(taskId, 'reject', comment);
  }

  /** Delivers the event that a task waits for. */
  async signal(taskId: string, event: unknown): Promise<void> {
    exactJson(event, 'event');
    await this.#backend.signal(taskOf(taskId), event);
  }

  /** Explains why a task is not running: the constraint that holds it, and how to lift it. */
  why(taskId: string): Promise<Diagnosis> {
    return this.#backend.diagnosis(taskId);
  }

  /** Returns the log lines of a run, or of a task (`<run>:<task>`). */
  logs(id: string, options: LogsOptions = {}): AsyncIterable<LogLine> {
    const ids = parseTaskId(id);
    if (ids === null) return readLogs(this.#backend, id, options);
    return readLogs(this.#backend, ids.run, { ...options, task: ids.task });
  }

  /** Streams events from now on, until the loop is left or the signal fires. */
  async *events(options: { job?: string; signal?: AbortSignal } = {}): AsyncGenerator<BoxEvent> {
    checkOptions('events', options, { job: true, signal: true });
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    try {
      const filter = options.job === undefined ? {} : { job: options.job };
      yield* this.#backend.events(filter, signal);
    } finally {
      stop.abort();
    }
  }

  /**
   * Creates or updates the jobs and runs their handlers in this process until `stop()`. With a key of the role
   * `worker` the jobs are not saved, because such a key cannot change definitions.
   */
  async work(jobs: readonly AnyJob[], options: WorkOnOptions = {}): Promise<WorkingWorker> {
    checkOptions('work', options, WORK_ON_MEMBERS);
    if (this.#closed !== null) throw closedError();
    const handlers = handlersOf(jobs);
    requireOption('worker.slots', 'concurrency', options.concurrency);
    requireDurationOption('worker.gracePeriod', 'gracePeriod', options.gracePeriod);
    requireExecutors(options.executors);
    const starting = this.#startWorker(jobs, { ...options, handlers });
    return this.#until(this.#starting, starting);
  }

  /**
   * Closes in order: waits for pending submissions, stops the workers, then the node. Calls that are still
   * waiting, and later calls, reject with the code `closed`.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #decide(
    taskId: string,
    decision: 'approve' | 'reject',
    comment: string | undefined,
  ): Promise<void> {
    const task = taskOf(taskId);
    await this.#backend.decide(task, comment === undefined ? { decision } : { decision, comment });
  }

  /** An idempotency key may belong to a run of another job, whose output has another type. */
  #handle<Output>(job: string, run: Submitted): RunHandle<Output> {
    if (run.error !== undefined) {
      throw new SignalboxError(run.error.code, run.error.message, { field: 'idempotencyKey' });
    }
    if (run.job === job) return new RunHandle(this.#backend, run);
    const message = `the idempotency key belongs to run ${run.id} of the job "${run.job}", not of "${job}"`;
    throw new SignalboxError('idempotency_conflict', message, { field: 'idempotencyKey' });
  }

  async #startWorker(jobs: readonly AnyJob[], params: WorkOn): Promise<WorkingWorker> {
    const { signal } = this.#stopping;
    await abortable(this.#defineIfAllowed(jobs), signal);
    const worker = await this.#backend.work(params, signal);
    // Closed meanwhile: the worker would never be stopped and would keep the process alive.
    if (signal.aborted) {
      await worker.stop();
      throw signal.reason;
    }
    this.#workers.add(worker);
    return worker;
  }

  async #defineIfAllowed(jobs: readonly AnyJob[]): Promise<void> {
    try {
      await this.apply(jobs);
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.code !== 'forbidden') throw error;
      if (await this.#backend.mayDefine()) throw error;
    }
  }

  #batcherOf(job: AnyJob | string, options: SubmitOptions): SubmissionBatcher {
    // The priority of a job given by name is unknown here, so its runs share no requests with others.
    const own = typeof job === 'string' ? `job ${job}` : priorityOf(job);
    const group = priorityName(options.priority) ?? own;
    let batcher = this.#batchers.get(group);
    if (batcher === undefined) {
      batcher = new SubmissionBatcher((items) => this.#backend.submitAll(items));
      this.#batchers.set(group, batcher);
    }
    return batcher;
  }

  /** Keeps the promise in the set until it has settled; `close` waits for it. */
  #until<T>(set: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
    const settled = work.catch(() => {}).finally(() => set.delete(settled));
    set.add(settled);
    return work;
  }

  async #close(): Promise<void> {
    this.#stopping.abort(closedError());
    this.#backend.rejectChanges();
    await this.#idle();
    // Before the node stops, so that the workers can disconnect from it.
    await Promise.all(this.#starting);
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    // Handlers may have submitted more runs until they ended.
    await this.#idle();
    await this.#backend.close();
  }

  /** Resolves when all submissions have a response. */
  async #idle(): Promise<void> {
    const batchers = [...this.#batchers.values()].map((batcher) => batcher.idle());
    await Promise.all([...batchers, ...this.#submitting]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The priority of runs without one of their own. */
function priorityOf({ definition }: AnyJob): string {
  return priorityName(definition.priority) ?? 'P1';
}

function taskOf(taskId: string): { run: string; task: string } {
  const ids = parseTaskId(taskId);
  if (ids !== null) return ids;
  throw new SignalboxError('not_found', `${JSON.stringify(taskId)} is not a task id`);
}

const LOCAL_URL = 'http://127.0.0.1:7070';
