import {
  type Diagnosis,
  type Job as JobView,
  type LogLine,
  type Page,
  parseTaskId,
  type RunView,
  type Submitted,
} from '@signalbox/protocol';
import type { Backend, BoxEvent, PreparedSubmission, RunsQuery } from './backend.ts';
import { batchLength } from './batch-length.ts';
import { exactJson, requireDurationOption, requireFinite, requireOption } from './check-numbers.ts';
import { ClosableBackend } from './closable-backend.ts';
import { SignalboxError } from './errors.ts';
import { HttpBackend } from './http/http-backend.ts';
import type { RetryOptions } from './http/retry-policy.ts';
import type { AnyJob, Job } from './job.ts';
import { prepareSubmission, type SubmitOptions } from './prepare-submission.ts';
import { type LogsOptions, readLogs } from './read-logs.ts';
import { abortable, RunHandle } from './run-handle.ts';
import { SubmissionBatcher } from './submission-batcher.ts';
import { handlersOf, type WorkingWorker, type WorkOnOptions } from './work-on.ts';

export interface OpenOptions {
  /** Whose jobs and runs these are; `default` where nothing is said. */
  readonly tenant?: string;
  /** Where payloads too large for the journal go; beside the file where nothing is said. */
  readonly dataDir?: string;
}

export interface ConnectOptions {
  /** `SIGNALBOX_KEY` of the environment where nothing is said. */
  readonly key?: string | undefined;
  /** For keys of the platform, which may act for every tenant. */
  readonly tenant?: string | undefined;
  readonly retries?: RetryOptions | undefined;
}

/** The input may be left out where the job takes none. */
export type SubmitArgs<Input> = undefined extends Input
  ? [input?: Input, options?: SubmitOptions]
  : [input: Input, options?: SubmitOptions];

/** One submission of `submitMany`. */
export type ManyItem<Input> = SubmitOptions &
  (undefined extends Input ? { readonly input?: Input } : { readonly input: Input });

/**
 * A scheduler to submit to and to work for: one in this process (`open`) or a node somewhere
 * (`connect`). Everything else is the same.
 */
export class Signalbox implements AsyncDisposable {
  readonly #backend: ClosableBackend;
  readonly #batcher: SubmissionBatcher;
  readonly #workers = new Set<WorkingWorker>();
  #closed: Promise<void> | null = null;

  private constructor(backend: Backend) {
    this.#backend = new ClosableBackend(backend);
    this.#batcher = new SubmissionBatcher((items) => this.#backend.submitAll(items));
  }

  /** A node in this process: on a file (`file:./signalbox.db`), `memory:` or `postgres://…`. */
  static async open(address: string, options: OpenOptions = {}): Promise<Signalbox> {
    // Only here: whoever connects to a node does not load one.
    const { openEmbedded } = await import('./direct/open-embedded.ts');
    return new Signalbox(await openEmbedded(address, options));
  }

  /**
   * A node somewhere else; without an address that of `SIGNALBOX_URL`, else one on this machine.
   * Nothing is sent yet: a wrong key shows with the first request.
   */
  static async connect(
    url: string = process.env['SIGNALBOX_URL'] ?? LOCAL_URL,
    options: ConnectOptions = {},
  ): Promise<Signalbox> {
    const key = options.key ?? process.env['SIGNALBOX_KEY'];
    return new Signalbox(new HttpBackend({ url, ...options, key }));
  }

  /** Defines the jobs; those that have not changed keep their version. */
  async define(jobs: readonly AnyJob[]): Promise<readonly JobView[]> {
    handlersOf(jobs);
    for (const { definition } of jobs) requireFinite(definition);
    return Promise.all(jobs.map((job) => this.#backend.define(job.name, job.definition)));
  }

  /** Resolves when the run is durable: no crash loses it from here on. */
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
    options.signal?.throwIfAborted();
    const name = typeof job === 'string' ? job : job.name;
    const item = prepareSubmission(name, input, options);
    const submitted = await abortable(this.#batcher.submit(item), options.signal);
    return this.#handle(name, submitted);
  }

  /**
   * Each thousand is one request, or several where the inputs are large: where one of them is wrong,
   * none of its request becomes a run.
   */
  async submitMany<Input, Output>(
    job: Job<Input, Output>,
    items: readonly ManyItem<Input>[],
  ): Promise<readonly RunHandle<Output>[]> {
    const prepared = items.map((item) => prepareSubmission(job.name, item.input, item));
    const handles: RunHandle<Output>[] = [];
    for (let from = 0; from < prepared.length; from = handles.length) {
      const at = (i: number) => prepared[from + i] as PreparedSubmission;
      const batch = prepared.slice(from, from + batchLength(prepared.length - from, at));
      const submitted = await this.#backend.submitAll(batch);
      for (const run of submitted) handles.push(this.#handle(job.name, run));
    }
    return handles;
  }

  /** Runs that are there already. */
  readonly runs = {
    get: (id: string): Promise<RunView> => this.#backend.run(id, {}),
    /** Newest first; `next` is the cursor of the page behind it. */
    list: (query: RunsQuery = {}): Promise<Page<RunView>> => this.#backend.runs(query),
    /** All of them, newest first, read page by page as they are asked for. */
    all: (query: Omit<RunsQuery, 'cursor'> = {}): AsyncIterable<RunView> => this.#allRuns(query),
    /** A handle on a run by its id, to wait for it or to cancel it. */
    handle: async (id: string): Promise<RunHandle<unknown>> => {
      const { job } = await this.#backend.run(id, {});
      return new RunHandle(this.#backend, { id, job, created: false });
    },
  };

  cancel(id: string, reason?: string): Promise<void> {
    return this.#backend.cancel(id, reason);
  }

  /** Tries an ended run again: a new run of the same job version and input. */
  async retry(id: string, reason?: string): Promise<RunHandle<unknown>> {
    return new RunHandle(this.#backend, await this.#backend.retry(id, reason));
  }

  /** Lets a task go on that waits for a person: `box.approve('<run>:<task>')`. */
  approve(taskId: string, comment?: string): Promise<void> {
    return this.#decide(taskId, 'approve', comment);
  }

  /** Fails a task that waits for a person. */
  reject(taskId: string, comment?: string): Promise<void> {
    return this.#decide(taskId, 'reject', comment);
  }

  /** Tells a task that the event has come that it waits for. */
  async signal(taskId: string, event: unknown): Promise<void> {
    exactJson(event, 'event');
    await this.#backend.signal(taskOf(taskId), event);
  }

  /** Why a task is not running: the one constraint that binds, and what would lift it. */
  why(taskId: string): Promise<Diagnosis> {
    return this.#backend.diagnosis(taskId);
  }

  /** What a run has printed, or one of its tasks. */
  logs(id: string, options: LogsOptions = {}): AsyncIterable<LogLine> {
    const named = parseTaskId(id);
    if (named === null) return readLogs(this.#backend, id, options);
    return readLogs(this.#backend, named.run, { ...options, task: named.task });
  }

  /** Everything that becomes durable from now on, until the loop is left or the signal fires. */
  async *events(options: { job?: string; signal?: AbortSignal } = {}): AsyncGenerator<BoxEvent> {
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    try {
      const filter = options.job === undefined ? {} : { job: options.job };
      yield* this.#backend.events(filter, signal);
    } finally {
      stop.abort();
    }
  }

  /** Defines the jobs and runs their handlers in this process, from now until `stop()`. */
  async work(jobs: readonly AnyJob[], options: WorkOnOptions = {}): Promise<WorkingWorker> {
    const handlers = handlersOf(jobs);
    requireOption('worker.slots', 'concurrency', options.concurrency);
    requireDurationOption('worker.gracePeriod', 'gracePeriod', options.gracePeriod);
    await this.define(jobs);
    const worker = await this.#backend.work({ ...options, handlers });
    // Closed meanwhile: nobody would stop it, and it would keep the process alive.
    if (this.#closed !== null) {
      await worker.stop();
      throw new SignalboxError('closed', 'the box was closed before its worker was ready');
    }
    this.#workers.add(worker);
    return worker;
  }

  /**
   * In good order: what was submitted is answered, what runs comes to its end, then the node stops. Whatever
   * still waits then, and is asked for later, rejects with the code `closed`.
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
    const said = comment === undefined ? { decision } : { decision, comment };
    await this.#backend.decide(taskOf(taskId), said);
  }

  /** A key may belong to a run of another job, whose output would not be what the types say. */
  #handle<Output>(asked: string, run: Submitted): RunHandle<Output> {
    if (run.job === asked) return new RunHandle(this.#backend, run);
    const message = `the key belongs to run ${run.id} of the job "${run.job}", not of "${asked}"`;
    throw new SignalboxError('idempotency_conflict', message, { field: 'idempotencyKey' });
  }

  async *#allRuns(query: Omit<RunsQuery, 'cursor'>): AsyncGenerator<RunView> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#backend.runs({ limit: PAGE, ...query, cursor });
      yield* page.items;
      if (page.next === undefined) return;
      cursor = page.next;
    }
  }

  async #close(): Promise<void> {
    await this.#batcher.idle();
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    // Handlers that came to their end may have submitted more.
    await this.#batcher.idle();
    await this.#backend.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function taskOf(taskId: string): { run: string; task: string } {
  const named = parseTaskId(taskId);
  if (named !== null) return named;
  throw new SignalboxError('not_found', `${JSON.stringify(taskId)} is no id of a task`);
}

const PAGE = 200;
const LOCAL_URL = 'http://127.0.0.1:7070';
