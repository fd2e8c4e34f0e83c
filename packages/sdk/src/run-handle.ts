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
 * What a handler returned, as it is read back: as JSON, in which a `Date` is text. Bytes are stored as they
 * are, without a note of what they are: those that happen to be JSON are read as the value, others as text
 * or bytes.
 */
export type ReadBack<Output> = Output extends Bytes ? unknown : Jsonified<Output>;

export interface WaitOptions {
  /** Throws a `SignalboxError` with the code `timeout` when it is over. The run goes on. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

const WAIT_MEMBERS = { timeout: true, signal: true } as const satisfies MembersOf<WaitOptions>;

/** A run that was submitted: what comes of it, and what can be done about it. */
export class RunHandle<Output> {
  readonly id: string;
  readonly job: string;
  /** False where the idempotency key or the unique key already had a run: this is that one. */
  readonly created: boolean;
  /**
   * True where a node that does not own the job accepted the submission, with a unique key or for a job
   * that excludes overlap: its owner has yet to decide whether this is a new run or the live one.
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

  /** How it is now. */
  view(): Promise<RunView> {
    return this.#backend.run(this.id, {});
  }

  /** How it has ended, well or not. */
  wait(options: WaitOptions = {}): Promise<RunView> {
    return this.#ended('wait', options, async (run) => run);
  }

  /**
   * What the handler returned. A PARTIAL run gives the output that it has. Throws a `RunFailedError` where the
   * run failed, or is PARTIAL and has no output. For a handler that returns bytes see `bytes()`.
   */
  result(options: WaitOptions = {}): Promise<ReadBack<Output>> {
    return this.#ended('result', options, async (run, signal) => {
      return (await resultOf(run, this.#readOutput(signal))) as ReadBack<Output>;
    });
  }

  /** The output as it is stored: the bytes that the handler returned, else its JSON. */
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
      new SignalboxError('timeout', `run ${this.id} of ${this.job} has not ended in time`);
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

  /** Null while the run is between two owners: it has not ended, and somebody will know soon. */
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
/** Without a timeout, and with an infinite one, it never is over. */
function timeoutOf({ timeout = Number.POSITIVE_INFINITY }: WaitOptions): number {
  if (timeout === Number.POSITIVE_INFINITY) return timeout;
  const ms = durationMs(timeout);
  // No time is later than NaN: the wait would neither end nor give way to anything else.
  if (ms !== null) return ms;
  const message = `timeout is a duration like '30s' or milliseconds, not ${String(timeout)}`;
  throw new SignalboxError('invalid', message, { field: 'timeout' });
}
