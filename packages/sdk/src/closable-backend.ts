import type {
  BulkAnswer,
  Diagnosis,
  Job,
  JobDefinition,
  LogLine,
  Page,
  RunView,
  Submitted,
} from '@signalbox/protocol';
import type {
  Backend,
  BoxEvent,
  BulkOptions,
  Decided,
  EventsFilter,
  LogsQuery,
  PreparedSubmission,
  RunsQuery,
  TaskOfRun,
} from './backend.ts';
import { SignalboxError } from './errors.ts';
import type { WorkingWorker, WorkOn } from './work-on.ts';

/**
 * Settles every promise that a caller still has when the box is closed. A node that has stopped, and a
 * connection that is gone, answer nothing: without this a wait would ask again for as long as the
 * process lives, and keep it alive.
 */
export class ClosableBackend implements Backend {
  readonly isRemote: boolean;
  readonly #backend: Backend;
  readonly #closing = new AbortController();
  /** A set and not listeners of the signal: thousands may wait, and a signal looks through all of them. */
  readonly #waiting = new Set<(error: SignalboxError) => void>();

  constructor(backend: Backend) {
    this.#backend = backend;
    this.isRemote = backend.isRemote;
  }

  define(name: string, definition: JobDefinition): Promise<Job> {
    return this.#settled(() => this.#backend.define(name, definition));
  }

  submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]> {
    return this.#settled(() => this.#backend.submitAll(items));
  }

  run(
    id: string,
    options: { waitMs?: number; signal?: AbortSignal | undefined },
  ): Promise<RunView> {
    return this.#settled(() => this.#backend.run(id, options));
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    return this.#settled(() => this.#backend.runs(query));
  }

  output(id: string): Promise<Uint8Array> {
    return this.#settled(() => this.#backend.output(id));
  }

  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer> {
    return this.#settled(() => this.#backend.changeAll(action, options));
  }

  cancel(id: string, reason: string | undefined): Promise<void> {
    return this.#settled(() => this.#backend.cancel(id, reason));
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#settled(() => this.#backend.retry(id, reason));
  }

  decide(of: TaskOfRun, said: Decided): Promise<void> {
    return this.#settled(() => this.#backend.decide(of, said));
  }

  signal(of: TaskOfRun, event: unknown): Promise<void> {
    return this.#settled(() => this.#backend.signal(of, event));
  }

  diagnosis(taskId: string): Promise<Diagnosis> {
    return this.#settled(() => this.#backend.diagnosis(taskId));
  }

  logs(id: string, query: LogsQuery): Promise<Page<LogLine>> {
    return this.#settled(() => this.#backend.logs(id, query));
  }

  /** A stream that is open when the box is closed ends. */
  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent> {
    if (this.#closing.signal.aborted) throw closedError();
    return this.#backend.events(filter, AbortSignal.any([signal, this.#closing.signal]));
  }

  async work(params: WorkOn): Promise<WorkingWorker> {
    this.#closing.signal.throwIfAborted();
    return this.#backend.work(params, this.#closing.signal);
  }

  close(): Promise<void> {
    const error = closedError();
    this.#closing.abort(error);
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
    return this.#backend.close();
  }

  #settled<T>(ask: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closing.signal.aborted) return reject(closedError());
      this.#waiting.add(reject);
      ask().then(
        (value) => {
          this.#waiting.delete(reject);
          resolve(value);
        },
        (error: unknown) => {
          this.#waiting.delete(reject);
          reject(error);
        },
      );
    });
  }
}

function closedError(): SignalboxError {
  return new SignalboxError(
    'closed',
    'the box is closed; runs that are durable go on: open or connect again, and wait with box.runs.handle(id)',
  );
}
