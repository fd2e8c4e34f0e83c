import type { Backend, BoxEvent, EventsFilter } from './backend.ts';
import { SignalboxError } from './errors.ts';
import type { WorkingWorker, WorkOn } from './work-on.ts';

/** Calls that wait for one response. */
type Call = Exclude<keyof Backend, 'isRemote' | 'events' | 'work' | 'close'>;
type CallKind = 'read' | 'change' | 'submission';

/**
 * Rejects every pending call when the client is closed. A stopped node and a closed connection do not respond:
 * without this, a wait would be repeated indefinitely and keep the process alive.
 */
export class ClosableBackend implements Backend {
  readonly isRemote: boolean;
  readonly #backend: Backend;
  readonly #closing = new AbortController();
  #refusesChanges = false;
  /** Not listeners of the signal: thousands of calls may wait, and removing a listener is a linear search. */
  readonly #waiting = new Map<(error: SignalboxError) => void, CallKind>();

  constructor(backend: Backend) {
    this.#backend = backend;
    this.isRemote = backend.isRemote;
  }

  readonly apply = this.#closable('apply', 'change');
  readonly submitAll = this.#closable('submitAll', 'submission');
  readonly run = this.#closable('run');
  readonly tasks = this.#closable('tasks');
  readonly runs = this.#closable('runs');
  readonly output = this.#closable('output');
  readonly changeAll = this.#closable('changeAll');
  readonly cancel = this.#closable('cancel', 'change');
  readonly retry = this.#closable('retry', 'change');
  readonly decide = this.#closable('decide', 'change');
  readonly signal = this.#closable('signal', 'change');
  readonly diagnosis = this.#closable('diagnosis');
  readonly logs = this.#closable('logs');
  readonly mayDefine = this.#closable('mayDefine');

  /** An open stream ends when the client is closed. */
  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent> {
    if (this.#closing.signal.aborted) throw closedError();
    return this.#backend.events(filter, AbortSignal.any([signal, this.#closing.signal]));
  }

  /** Closing also stops a worker that is still attaching. */
  async work(params: WorkOn, stopped: AbortSignal): Promise<WorkingWorker> {
    this.requireOpen();
    return this.#backend.work(params, AbortSignal.any([stopped, this.#closing.signal]));
  }

  /** For calls that may need no request. */
  requireOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  /**
   * Rejects changes except submissions, which `close` waits for: handlers that still run may submit more, and
   * wait for results. A cancel must not wait for a submission that the node does not respond to.
   */
  rejectChanges(): void {
    this.#refusesChanges = true;
    for (const [reject, kind] of this.#waiting) {
      if (kind !== 'change') continue;
      this.#waiting.delete(reject);
      reject(closedError(kind));
    }
  }

  close(): Promise<void> {
    this.#closing.abort(closedError());
    for (const [reject, kind] of this.#waiting) reject(closedError(kind));
    this.#waiting.clear();
    return this.#backend.close();
  }

  #closable<Name extends Call>(name: Name, kind: CallKind = 'read'): Backend[Name] {
    type Method = (...args: readonly unknown[]) => Promise<unknown>;
    const method: Method = (...args) => {
      const backend = this.#backend as unknown as Record<Name, Method>;
      return this.#settled(() => backend[name](...args), kind);
    };
    return method as unknown as Backend[Name];
  }

  #settled<T>(send: () => Promise<T>, kind: CallKind): Promise<T> {
    return new Promise((resolve, reject) => {
      const isRefused = this.#refusesChanges && kind === 'change';
      if (isRefused || this.#closing.signal.aborted) return reject(closedError());
      this.#waiting.set(reject, kind);
      send().then(
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

/** A pending change may have been made; the error says so, because repeating it may make it twice. */
export function closedError(pending: CallKind = 'read'): SignalboxError {
  if (pending !== 'read') {
    const message =
      'the client was closed before the node responded, so the outcome of this call is unknown; check it before you repeat the call';
    return new SignalboxError('closed', message, { mayBeDone: true });
  }
  return new SignalboxError(
    'closed',
    'the client is closed; accepted runs continue. To wait for a run, open or connect again and use box.runs.handle(id)',
  );
}
