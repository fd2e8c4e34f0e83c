import type {
  BulkAnswer,
  Diagnosis,
  Job,
  JobDefinition,
  LogLine,
  Page,
  RunView,
  Submitted,
  TaskView,
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
  #refusesChanges = false;
  /** A map and not listeners of the signal: thousands may wait, and a signal looks through all of them. */
  readonly #waiting = new Map<(error: SignalboxError) => void, Asked>();

  constructor(backend: Backend) {
    this.#backend = backend;
    this.isRemote = backend.isRemote;
  }

  apply(name: string, definition: JobDefinition): Promise<Job> {
    return this.#settled(() => this.#backend.apply(name, definition), 'change');
  }

  submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]> {
    return this.#settled(() => this.#backend.submitAll(items), 'submission');
  }

  run(
    id: string,
    options: { waitMs?: number; signal?: AbortSignal | undefined },
  ): Promise<RunView> {
    return this.#settled(() => this.#backend.run(id, options));
  }

  tasks(id: string, cursor: string): Promise<Page<TaskView>> {
    return this.#settled(() => this.#backend.tasks(id, cursor));
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    return this.#settled(() => this.#backend.runs(query));
  }

  output(id: string, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#settled(() => this.#backend.output(id, signal));
  }

  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer> {
    return this.#settled(() => this.#backend.changeAll(action, options));
  }

  cancel(id: string, reason: string | undefined): Promise<void> {
    return this.#settled(() => this.#backend.cancel(id, reason), 'change');
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#settled(() => this.#backend.retry(id, reason), 'change');
  }

  decide(of: TaskOfRun, said: Decided): Promise<void> {
    return this.#settled(() => this.#backend.decide(of, said), 'change');
  }

  signal(of: TaskOfRun, event: unknown): Promise<void> {
    return this.#settled(() => this.#backend.signal(of, event), 'change');
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

  /** With the box itself goes what is still about to attach: `stopped` may fire before that. */
  async work(params: WorkOn, stopped: AbortSignal): Promise<WorkingWorker> {
    this.requireOpen();
    return this.#backend.work(params, AbortSignal.any([stopped, this.#closing.signal]));
  }

  mayDefine(): Promise<boolean> {
    return this.#settled(() => this.#backend.mayDefine());
  }

  /** For calls that may have nothing to ask the node for. */
  requireOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  /**
   * Rejects changes except submissions, which `close` waits for: handlers that still run may submit more, and
   * wait for results. A cancel must not wait for a submission that the node does not respond to.
   */
  rejectChanges(): void {
    this.#refusesChanges = true;
    for (const [reject, asked] of this.#waiting) {
      if (asked !== 'change') continue;
      this.#waiting.delete(reject);
      reject(closedError(asked));
    }
  }

  close(): Promise<void> {
    this.#closing.abort(closedError());
    for (const [reject, asked] of this.#waiting) reject(closedError(asked));
    this.#waiting.clear();
    return this.#backend.close();
  }

  #settled<T>(ask: () => Promise<T>, asked: Asked = 'read'): Promise<T> {
    return new Promise((resolve, reject) => {
      const isRefused = this.#refusesChanges && asked === 'change';
      if (isRefused || this.#closing.signal.aborted) return reject(closedError());
      this.#waiting.set(reject, asked);
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

type Asked = 'read' | 'change' | 'submission';

/** A change that was on its way may have been made: whoever is told nothing of that makes it twice. */
export function closedError(cut: Asked = 'read'): SignalboxError {
  if (cut !== 'read') {
    const message =
      'the client was closed before the node responded, so the outcome of this call is unknown; check it before you repeat the call';
    return new SignalboxError('closed', message, { mayBeDone: true });
  }
  return new SignalboxError(
    'closed',
    'the client is closed; accepted runs continue. To wait for a run, open or connect again and use box.runs.handle(id)',
  );
}
