import { type FromWorker, type LogStream, type Ref, requireWithin } from '@signalbox/protocol/link';
import type { Assign, AttemptContext, StopWhy } from '../executor.ts';
import { ATTEMPT_EDGES, type AttemptState, LifeCycle } from '../life-cycle.ts';
import type { Link } from '../link/link.ts';
import { requireFraction } from '../require-fraction.ts';
import { AttemptStop } from './attempt-stop.ts';
import { LogTail } from './log-tail.ts';

/**
 * A node that is asked for more time and then loses the partition, or has no room for what it is told,
 * does not answer. The handler waits for it, and without an end its task would run for ever.
 */
const EXTEND_ANSWER_MS = 30_000;

export type Finish = FromWorker & { readonly kind: 'finish' };

export interface AttemptOwner {
  /** To the node that owns the attempt; lost where there is no connection. */
  say(held: HeldAttempt, frame: FromWorker): void;
  progressed(held: HeldAttempt): void;
  /** Sends its progress now, and not with the next of the few beats. */
  reportProgress(held: HeldAttempt): void;
  saveCheckpoint(held: HeldAttempt, state: Uint8Array): Promise<void>;
  /** The grace is over and it has not stopped. */
  overdue(held: HeldAttempt): void;
  moved(held: HeldAttempt, from: AttemptState, to: AttemptState): void;
}

/**
 * An attempt from the moment it is accepted until its result is durable. What only some attempts
 * need (signal, timers, logs, extensions) is made when it is first asked for.
 */
export class HeldAttempt implements AttemptContext {
  readonly ref: Ref;
  /** Its trace becomes that of the worker's own span, if the worker draws one. */
  readonly assign: Omit<Assign, 'trace'> & { trace?: string | undefined };
  readonly life: LifeCycle<AttemptState>;
  /** The node that gave it, or that has spoken of it last. */
  link: Link;
  input: Uint8Array | null;
  checkpoint: Uint8Array | null;
  parents: Uint8Array | null;
  deadline: number | null;
  /** Once it has ended: what is said until it is confirmed. */
  finish: Finish | null = null;
  finishSaidAt = 0;
  /** The last state that was saved, said again to the next connection. */
  saved: Uint8Array | null = null;
  /** Which of the saves that state is, and how many have begun. */
  savedNumber = 0;
  savesBegun = 0;
  progressValue: number | null = null;
  /** Until what it runs is really gone: a handler that ignores its signal keeps its place. */
  occupies = true;
  readonly #owner: AttemptOwner;
  #stop: AttemptStop | null = null;
  #logs: LogTail | null = null;
  #extends: ((granted: boolean) => void)[] | null = null;

  constructor(params: { assign: Assign; link: Link; owner: AttemptOwner }) {
    const { assign } = params;
    this.ref = assign.ref;
    this.assign = assign;
    this.link = params.link;
    this.#owner = params.owner;
    this.input = assign.input;
    this.checkpoint = assign.checkpoint;
    this.parents = assign.parents ?? null;
    this.deadline = assign.timeoutMs === null ? null : Date.now() + assign.timeoutMs;
    this.life = new LifeCycle({
      first: 'accepted',
      edges: ATTEMPT_EDGES,
      moved: (from, to) => this.#owner.moved(this, from, to),
    });
  }

  get signal(): AbortSignal {
    return this.#stopping().signal;
  }

  /** Whether the signal has fired, without making one to ask. */
  get isAborted(): boolean {
    return this.#stop?.signal.aborted ?? false;
  }

  /** It has a result, or nobody wants one: nothing more is said of it. */
  get isOver(): boolean {
    return this.finish !== null || this.life.state === 'forgotten';
  }

  get graceMs(): number {
    return this.#stop?.graceMs ?? this.assign.graceMs;
  }

  get logs(): LogTail {
    this.#logs ??= new LogTail(this.ref);
    return this.#logs;
  }

  log(stream: LogStream, text: string | Uint8Array): void {
    if (this.isOver) return;
    requireLine(stream, text);
    for (const frame of this.logs.frames(stream, text)) {
      this.logs.keep(frame);
      if (this.link.welcomed && !this.link.congested) this.#owner.say(this, frame);
    }
  }

  progress(value: number): void {
    requireFraction(value);
    if (this.isOver) return;
    this.progressValue = value;
    this.#owner.progressed(this);
  }

  async saveCheckpoint(state: Uint8Array): Promise<void> {
    if (this.isOver) return;
    if (!(state instanceof Uint8Array)) throw new TypeError('a checkpoint must be a Uint8Array');
    this.life.tryTo('checkpointing');
    try {
      await this.#owner.saveCheckpoint(this, state);
    } finally {
      this.life.tryTo('executing');
    }
  }

  async extend(byMs: number): Promise<boolean> {
    requireWithin('report.extend', 'the duration of extend()', byMs);
    // Nobody would answer for an attempt that has ended or was superseded.
    if (!this.link.welcomed || this.isOver) return false;
    // More time is for what has moved, as far as the node knows; it may not know the latest yet.
    this.#owner.reportProgress(this);
    this.#owner.say(this, { kind: 'extend', ref: this.ref, byMs });
    return new Promise((resolve) => {
      const asked = (granted: boolean): void => {
        clearTimeout(timer);
        resolve(granted);
      };
      const timer = setTimeout(() => this.#giveUpExtend(asked), EXTEND_ANSWER_MS);
      this.#extends ??= [];
      this.#extends.push(asked);
    });
  }

  #giveUpExtend(asked: (granted: boolean) => void): void {
    this.#extends = (this.#extends ?? []).filter((each) => each !== asked);
    asked(false);
  }

  extended(granted: boolean, timeoutMs: number | null): void {
    if (granted) this.deadline = timeoutMs === null ? null : Date.now() + timeoutMs;
    this.#extends?.shift()?.(granted);
  }

  /** Nobody will answer what was asked over a connection that is gone. */
  refuseExtends(): void {
    if (this.#extends === null) return;
    for (const resolve of this.#extends.splice(0)) resolve(false);
  }

  /** Signal after `signalMs`, force `graceMs` behind it; a second call can only make it sooner. */
  stop(params: { why: StopWhy; signalMs: number; graceMs: number }): void {
    this.#stopping().order(params);
  }

  /** It has ended, or nobody wants its result: nothing of it stays armed. */
  quiet(): void {
    this.#stop?.disarm();
    this.refuseExtends();
  }

  #stopping(): AttemptStop {
    this.#stop ??= new AttemptStop(() => this.#owner.overdue(this));
    return this.#stop;
  }
}

const STREAMS: ReadonlySet<unknown> = new Set(['stdout', 'stderr', 'log']);

/** An executor may be written without types: what the link cannot carry is refused where it is said. */
function requireLine(stream: unknown, text: unknown): void {
  if (!STREAMS.has(stream)) throw new TypeError('the stream must be stdout, stderr or log');
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) {
    throw new TypeError('a log line must be a string or a Uint8Array');
  }
}
