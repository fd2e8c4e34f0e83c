import type { FromWorker, LogStream, Ref } from '@signalbox/protocol/link';
import type { Assign, AttemptContext, StopWhy } from '../executors/executor.ts';
import { ATTEMPT_EDGES, type AttemptState, LifeCycle } from '../life-cycle.ts';
import type { Link } from '../link/link.ts';
import { LogTail } from './log-tail.ts';

export type Finish = FromWorker & { readonly kind: 'finish' };

export interface AttemptOwner {
  /** To the node that owns the attempt; lost where there is no connection. */
  say(held: HeldAttempt, frame: FromWorker): void;
  progressed(held: HeldAttempt): void;
  saveCheckpoint(held: HeldAttempt, state: Uint8Array): Promise<void>;
  /** The grace is over and it has not stopped. */
  overdue(held: HeldAttempt): void;
  moved(held: HeldAttempt, from: AttemptState, to: AttemptState): void;
}

export function keyOf(ref: Ref): string {
  return ref.join();
}

/** An attempt from the moment it is accepted until its result is durable. */
export class HeldAttempt implements AttemptContext {
  readonly key: string;
  readonly ref: Ref;
  readonly assign: Assign;
  readonly life: LifeCycle<AttemptState>;
  readonly logs: LogTail;
  /** The node that gave it, or that has spoken of it last. */
  link: Link;
  input: Uint8Array | null;
  checkpoint: Uint8Array | null;
  graceMs: number;
  deadline: number | null;
  /** Once it has ended: what is said until it is confirmed. */
  finish: Finish | null = null;
  finishSaidAt = 0;
  /** The last state that was saved, said again to the next connection. */
  saved: Uint8Array | null = null;
  progressValue: number | null = null;
  /** Until what it runs is really gone: a handler that ignores its signal keeps its place. */
  occupies = true;
  readonly #owner: AttemptOwner;
  readonly #abort = new AbortController();
  #extends: ((granted: boolean) => void)[] = [];
  #timers: NodeJS.Timeout[] = [];
  #signalAt = Number.POSITIVE_INFINITY;
  #forceAt = Number.POSITIVE_INFINITY;
  #why: StopWhy = '';

  constructor(params: { assign: Assign; link: Link; owner: AttemptOwner }) {
    const { assign } = params;
    this.key = keyOf(assign.ref);
    this.ref = assign.ref;
    this.assign = assign;
    this.link = params.link;
    this.#owner = params.owner;
    this.input = assign.input;
    this.checkpoint = assign.checkpoint;
    this.graceMs = assign.graceMs;
    this.deadline = assign.timeoutMs === null ? null : Date.now() + assign.timeoutMs;
    this.logs = new LogTail(this.ref);
    this.life = new LifeCycle({
      first: 'accepted',
      edges: ATTEMPT_EDGES,
      moved: (from, to) => this.#owner.moved(this, from, to),
    });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  log(stream: LogStream, text: string | Uint8Array): void {
    if (this.finish !== null || this.life.state === 'forgotten') return;
    for (const frame of this.logs.frames(stream, text)) {
      this.logs.keep(frame);
      if (this.link.welcomed && !this.link.congested) this.#owner.say(this, frame);
    }
  }

  progress(value: number): void {
    if (!Number.isFinite(value) || this.finish !== null) return;
    this.progressValue = value;
    this.#owner.progressed(this);
  }

  async saveCheckpoint(state: Uint8Array): Promise<void> {
    if (this.finish !== null || this.life.state === 'forgotten') return;
    this.life.tryTo('checkpointing');
    try {
      await this.#owner.saveCheckpoint(this, state);
    } finally {
      this.life.tryTo('executing');
    }
  }

  extend(byMs: number): Promise<boolean> {
    if (!this.link.welcomed || this.finish !== null) return Promise.resolve(false);
    this.#owner.say(this, { kind: 'extend', ref: this.ref, byMs: Math.max(0, Math.round(byMs)) });
    return new Promise((resolve) => this.#extends.push(resolve));
  }

  extended(granted: boolean, timeoutMs: number | null): void {
    if (granted) this.deadline = timeoutMs === null ? null : Date.now() + timeoutMs;
    this.#extends.shift()?.(granted);
  }

  /** Nobody will answer what was asked over a connection that is gone. */
  refuseExtends(): void {
    for (const resolve of this.#extends.splice(0)) resolve(false);
  }

  /**
   * Signal after `signalMs`, force `graceMs` behind it. A second call can only make it sooner: a
   * node that drains a worker which is already leaving must not give it more time than it has.
   */
  stop(params: { why: StopWhy; signalMs: number; graceMs: number }): void {
    const now = performance.now();
    const signalAt = now + params.signalMs;
    if (signalAt < this.#signalAt) {
      this.#signalAt = signalAt;
      this.#why = params.why;
    }
    this.#forceAt = Math.min(this.#forceAt, signalAt + params.graceMs);
    this.#arm(now);
  }

  /** It has ended, or nobody wants its result: nothing of it stays armed. */
  quiet(): void {
    this.#clearTimers();
    this.refuseExtends();
  }

  #arm(now: number): void {
    this.#clearTimers();
    this.#timers = [setTimeout(() => this.#owner.overdue(this), this.#forceAt - now)];
    if (this.signal.aborted) return;
    if (this.#signalAt <= now) this.#fire();
    else this.#timers.push(setTimeout(() => this.#fire(), this.#signalAt - now));
  }

  #fire(): void {
    this.graceMs = Math.max(0, Math.round(this.#forceAt - performance.now()));
    this.#abort.abort(this.#why);
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }
}
