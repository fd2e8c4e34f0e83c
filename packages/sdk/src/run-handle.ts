import { setTimeout as pause } from 'node:timers/promises';
import {
  type Bytes,
  type Duration,
  durationMs,
  isEnded,
  type LogLine,
  type RunView,
  type Submitted,
} from '@signalbox/protocol';
import type { Backend, BoxEvent } from './backend.ts';
import { bytesOf, resultOf } from './ended-run.ts';
import { SignalboxError } from './errors.ts';
import type { Jsonified } from './jsonified.ts';
import { checkOptions, type MembersOf } from './known-members.ts';
import { type LogsOptions, readLogs } from './read-logs.ts';
import { abortable, withinTime } from './within-time.ts';

/** The longest that one question to the node waits. In this process it costs nothing to ask again. */
const ASK_MS = 30_000;
const ASK_HERE_MS = 1_000;
const OWNERLESS_MS = 200;

/**
 * The return value of a handler after it was stored: JSON, in which a `Date` is a string. Bytes are stored
 * without a type: bytes that happen to be JSON are read as a JSON value, other bytes as text
 * or bytes.
 */
export type ReadBack<Output> = Output extends Bytes ? unknown : Jsonified<Output>;

export interface WaitOptions {
  /** After this time the call throws a `SignalboxError` with the code `timeout`. The run continues. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

const WAIT_MEMBERS = { timeout: true, signal: true } as const satisfies MembersOf<WaitOptions>;

/** A submitted run: wait for it, read its output and logs, or cancel it. */
export class RunHandle<Output> {
  readonly id: string;
  readonly job: string;
  /** False if this is an existing run with the same idempotency key or unique key. */
  readonly created: boolean;
  /**
   * True if a node that does not own the job accepted the submission, with a unique key or for a job
   * without overlap: the owner has yet to decide whether this is a new run or an existing live run.
   */
  readonly pending: boolean;
  readonly #backend: Backend;

  constructor(backend: Backend, run: Submitted) {
    this.#backend = backend;
    this.id = run.id;
    this.job = run.job;
    this.created = run.created;
    this.pending = run.pending ?? false;
  }

  /** Returns the current state of the run. */
  view(): Promise<RunView> {
    return this.#backend.run(this.id, {});
  }

  /** Waits for the end of the run, and returns its final state, whether it succeeded or not. */
  wait(options: WaitOptions = {}): Promise<RunView> {
    return this.#ended('wait', options, async (run) => run);
  }

  /**
   * Waits for the end and returns the output. A PARTIAL run returns the output that it has. Throws a `RunFailedError` if
   * the run failed, or is PARTIAL without an output. For a handler that returns bytes, use `bytes()`.
   */
  result(options: WaitOptions = {}): Promise<ReadBack<Output>> {
    return this.#ended('result', options, async (run, signal) => {
      return (await resultOf(run, this.#readOutput(signal))) as ReadBack<Output>;
    });
  }

  /** Waits for the end and returns the stored output: the bytes that the handler returned, or its JSON. */
  bytes(options: WaitOptions = {}): Promise<Uint8Array> {
    return this.#ended('bytes', options, (run, signal) => bytesOf(run, this.#readOutput(signal)));
  }

  /** Waits for the end, and then reads what is asked for, all of it within the time. */
  async #ended<T>(
    call: string,
    options: WaitOptions,
    then: (run: RunView, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    checkOptions(call, options, WAIT_MEMBERS);
    const { signal } = options;
    const timeoutMs = timeoutOf(options);
    const error = (): SignalboxError =>
      new SignalboxError(
        'timeout',
        `run ${this.id} of ${this.job} did not end within the timeout; the run continues`,
      );
    return withinTime({ timeoutMs, signal, error }, async (either) => {
      const until = performance.now() + timeoutMs;
      for (;;) {
        either?.throwIfAborted();
        const left = until - performance.now();
        const askMs = this.#backend.isRemote ? ASK_MS : ASK_HERE_MS;
        const waitMs = Math.max(0, Math.min(askMs, Math.ceil(left)));
        const run = await abortable(this.#ask(waitMs, either), signal);
        if (run !== null && isEnded(run.state)) return then(run, either);
        if (performance.now() >= until) throw error();
      }
    });
  }

  #readOutput(signal: AbortSignal | undefined): () => Promise<Uint8Array> {
    return () => this.#backend.output(this.id, signal);
  }

  /** Null while the run has no owner: it has not ended, and a new owner will respond soon. */
  async #ask(waitMs: number, signal: AbortSignal | undefined): Promise<RunView | null> {
    try {
      return await this.#backend.run(this.id, { waitMs, signal });
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.code !== 'not_owner') throw error;
      await pause(Math.min(waitMs, OWNERLESS_MS), undefined, { signal });
      return null;
    }
  }

  cancel(reason?: string): Promise<void> {
    return this.#backend.cancel(this.id, reason);
  }

  logs(options: LogsOptions = {}): AsyncIterable<LogLine> {
    return readLogs(this.#backend, this.id, options);
  }

  async *events(options: { signal?: AbortSignal } = {}): AsyncGenerator<BoxEvent> {
    checkOptions('events', options, { signal: true });
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    try {
      for await (const event of this.#backend.events({ run: this.id }, signal)) {
        yield event;
        if (event.kind === 'runEnded') return;
      }
    } finally {
      stop.abort();
    }
  }
}

/** It has come to its end with an output, or may have. */
/** Reads a run, and gives up on a node that does not respond. */
export function readWithin(backend: Backend, id: string, options: WaitOptions): Promise<RunView> {
  checkOptions('handle', options, WAIT_MEMBERS);
  const { signal, timeout = ASK_MS } = options;
  const timeoutMs = timeoutOf({ timeout });
  const error = (): SignalboxError =>
    new SignalboxError('timeout', `the node did not respond about run ${id} within the timeout`);
  return withinTime({ timeoutMs, signal, error }, (either) => backend.run(id, { signal: either }));
}

/** Without a timeout, and with an infinite one, it never is over. */
function timeoutOf({ timeout = Number.POSITIVE_INFINITY }: WaitOptions): number {
  if (timeout === Number.POSITIVE_INFINITY) return timeout;
  const ms = durationMs(timeout);
  // No time is later than NaN: the wait would neither end nor give way to anything else.
  if (ms !== null) return ms;
  const message = `timeout must be a duration such as '30s', or milliseconds, not ${String(timeout)}`;
  throw new SignalboxError('invalid', message, { field: 'timeout' });
}
