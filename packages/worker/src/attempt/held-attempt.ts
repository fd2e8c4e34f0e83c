// An attempt on the worker, from its acceptance until its result is durable.
//
//   accepted ──▶ executing ◀──▶ checkpointing
//       │            │               │
//       └────────────┴───────────────┴──▶ completing │ failing │ stopping ──▶ forgotten
//                                         (`finish` is set: sent, and resent)  (confirmed)
//
// Every state before the result can also move to `forgotten` directly: `stale` means that a newer attempt
// has replaced this one. `life` rejects every other transition (`life-cycle.ts`).
//
// Called by: the executor through `AttemptContext`; `AttemptRunner`, which owns it and ends it once.
// Atomic: a transition and its frame happen in one turn. `occupies` is independent of the state, because a
// handler that ignores its signal keeps its capacity until it really ends.
// Can fail: a link may be down, so log lines, checkpoints and results are kept and resent by `resumeOf`
// (report/hello.ts); progress is sent again when a node adopts the attempt; `extend` resolves to false
// when the connection is lost, another node takes over, or no response arrives in time.
import { type FromWorker, type LogStream, type Ref, requireWithin } from '@signalbox/protocol/link';
import type { Assign, AttemptContext, StopWhy } from '../executor.ts';
import { ATTEMPT_EDGES, type AttemptState, LifeCycle } from '../life-cycle.ts';
import type { Link } from '../link/link.ts';
import { requireFraction } from '../require-fraction.ts';
import { AttemptStop } from './attempt-stop.ts';
import { LogTail } from './log-tail.ts';

/**
 * A node that loses the partition, or drops the request because its queue is full, does not respond to
 * `extend`. Without a timeout the handler would wait indefinitely.
 */
const EXTEND_TIMEOUT_MS = 30_000;

export type Finish = FromWorker & { readonly kind: 'finish' };

export interface AttemptOwner {
  progressed(held: HeldAttempt): void;
  /** Sends the progress now, not with the next beat. */
  reportProgress(held: HeldAttempt): void;
  saveCheckpoint(held: HeldAttempt, state: Uint8Array): Promise<void>;
  /** The grace period is over and the attempt has not stopped. */
  overdue(held: HeldAttempt): void;
  moved(held: HeldAttempt, from: AttemptState, to: AttemptState): void;
}

/** Signal, timers, logs and extensions are created on first use, because most attempts need none of them. */
export class HeldAttempt implements AttemptContext {
  readonly ref: Ref;
  /** The trace is replaced by that of the worker's own span, if there is one. */
  readonly assign: Omit<Assign, 'trace'> & { trace?: string | undefined };
  readonly life: LifeCycle<AttemptState>;
  /** The link to the node that owns the attempt: that assigned it, or sent the latest frame about it. */
  link: Link;
  input: Uint8Array | null;
  checkpoint: Uint8Array | null;
  parents: Uint8Array | null;
  deadline: number | null;
  /** The result once the attempt has ended, sent until it is confirmed. */
  finish: Finish | null = null;
  finishSentAt = 0;
  /** The last saved state, sent again on the next connection. */
  saved: Uint8Array | null = null;
  /** The number of the save that stored it, and how many saves have begun. */
  savedNumber = 0;
  savesBegun = 0;
  progressValue: number | null = null;
  /** True until the executor has ended: a handler that ignores its signal keeps its capacity. */
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

  /** Whether the signal has fired; does not create one. */
  get isAborted(): boolean {
    return this.#stop?.signal.aborted ?? false;
  }

  /** It has a result or needs none: no further frames are sent for it. */
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
      if (this.link.welcomed && !this.link.congested) this.link.send(frame);
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
    // A node does not respond for an attempt that has ended or was superseded.
    if (!this.link.welcomed || this.isOver) return false;
    // The node grants more time only after progress, and may not know the latest.
    this.#owner.reportProgress(this);
    this.link.send({ kind: 'extend', ref: this.ref, byMs });
    return new Promise((resolve) => {
      const respond = (granted: boolean): void => {
        clearTimeout(timer);
        resolve(granted);
      };
      const timer = setTimeout(() => {
        this.#extends = (this.#extends ?? []).filter((each) => each !== respond);
        respond(false);
      }, EXTEND_TIMEOUT_MS);
      this.#extends ??= [];
      this.#extends.push(respond);
    });
  }

  extended(granted: boolean, timeoutMs: number | null): void {
    if (granted) this.deadline = timeoutMs === null ? null : Date.now() + timeoutMs;
    this.#extends?.shift()?.(granted);
  }

  /** Requests sent over a lost connection get no response. */
  refuseExtends(): void {
    if (this.#extends === null) return;
    for (const resolve of this.#extends.splice(0)) resolve(false);
  }

  /** Fires the signal after `signalMs`, and calls `overdue` `graceMs` later. A second call can only make it sooner. */
  stop(params: { why: StopWhy; signalMs: number; graceMs: number }): void {
    this.#stopping().order(params);
  }

  /** Cancels its timers and pending requests: it has ended, or its result is not needed. */
  disarm(): void {
    this.#stop?.disarm();
    this.refuseExtends();
  }

  #stopping(): AttemptStop {
    this.#stop ??= new AttemptStop(() => this.#owner.overdue(this));
    return this.#stop;
  }
}

const STREAMS: ReadonlySet<unknown> = new Set(['stdout', 'stderr', 'log']);

/** An executor may be written without types, so values that cannot be sent are rejected here. */
function requireLine(stream: unknown, text: unknown): void {
  if (!STREAMS.has(stream)) throw new TypeError('the stream must be stdout, stderr or log');
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) {
    throw new TypeError('a log line must be a string or a Uint8Array');
  }
}
