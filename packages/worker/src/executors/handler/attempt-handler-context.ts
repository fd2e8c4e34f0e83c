import { type Duration, requireDuration } from '@signalbox/protocol/link';
import type { AttemptContext } from '../../executor.ts';
import { requireFraction } from '../../require-fraction.ts';
import type {
  Checkpoint,
  HandlerContext,
  HandlerLog,
  HandlerWindow,
  ParentResult,
} from './handler.ts';
import { handlerLog } from './handler-log.ts';
import { decodePayload, encodePayload } from './json-payload.ts';
import { OfferedState } from './offered-state.ts';

type Parents = Readonly<Record<string, ParentResult>>;

/**
 * The context of a handler. Everything is created when it is read: most handlers read little, and creating
 * all of it costs more than a short attempt. Functions are returned by getters and need no `this`, because
 * handlers destructure their context: `async (input, { log, progress }) => …`.
 */
export class AttemptHandlerContext implements HandlerContext {
  readonly runId: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly task: string;
  readonly tenant: string;
  readonly attempt: number;
  readonly #attempt: AttemptContext;
  #inputBytes: Uint8Array | null = null;
  #parents: Parents | null = null;
  #log: HandlerLog | null = null;
  #checkpoint: Checkpoint | null = null;
  #offered: OfferedState | null = null;

  constructor(attempt: AttemptContext) {
    const { assign } = attempt;
    this.runId = assign.run;
    this.job = assign.job;
    this.jobVersion = assign.jobVersion;
    this.task = assign.task;
    this.tenant = assign.tenant;
    this.attempt = assign.ref[3];
    this.#attempt = attempt;
  }

  /** Static, because a handler can reach every member of its context. */
  static offeredOf(context: AttemptHandlerContext): OfferedState | null {
    return context.#offered;
  }

  get attemptId(): string {
    return this.#attempt.assign.id;
  }

  get idempotencyKey(): string {
    return this.#attempt.assign.idempotencyKey;
  }

  get inputHash(): string {
    return this.#attempt.assign.inputHash;
  }

  get parents(): Readonly<Record<string, ParentResult>> {
    const { parents } = this.#attempt;
    this.#parents ??= parents === null ? {} : (decodePayload(parents) as Parents);
    return this.#parents;
  }

  /** The handler's own copy: the bytes may be the node's memory, and the next attempt's input. */
  get inputBytes(): Uint8Array | null {
    const { input } = this.#attempt;
    if (input !== null) this.#inputBytes ??= new Uint8Array(input);
    return this.#inputBytes;
  }

  get window(): HandlerWindow | undefined {
    const { window } = this.#attempt.assign;
    return window && { schedule: window.schedule, at: new Date(window.at), kind: window.kind };
  }

  get deadline(): Date | null {
    const { deadline } = this.#attempt;
    return deadline === null ? null : new Date(deadline);
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get trace(): string | undefined {
    return this.#attempt.assign.trace;
  }

  get progress(): (fraction: number) => void {
    return (fraction) => {
      // Here too: the attempt of an isolated handler is on the other side of a channel.
      requireFraction(fraction);
      this.#attempt.progress(fraction);
    };
  }

  get extend(): (time: Duration) => Promise<boolean> {
    return async (time) => {
      const whole = typeof time === 'number' ? Math.round(time) : time;
      // Here too: the attempt of an isolated handler is on the other side of a channel.
      const byMs = requireDuration('report.extend', 'the duration of extend()', whole);
      return this.#attempt.extend(byMs);
    };
  }

  get log(): HandlerLog {
    this.#log ??= handlerLog(this.#attempt);
    return this.#log;
  }

  get checkpoint(): Checkpoint {
    this.#checkpoint ??= {
      load: <T>() => this.#load() as T | null,
      save: (value) => this.#attempt.saveCheckpoint(encodeState(value)),
      offer: (state) => this.#offer(state),
    };
    return this.#checkpoint;
  }

  #load(): unknown {
    const { checkpoint } = this.#attempt;
    return checkpoint === null ? null : decodePayload(checkpoint);
  }

  #offer(state: () => unknown): void {
    this.#offered ??= new OfferedState(this.#attempt);
    this.#offered.offer(() => encodeState(state()));
  }
}

function encodeState(value: unknown): Uint8Array {
  return encodePayload(value ?? null, 'checkpoint');
}
