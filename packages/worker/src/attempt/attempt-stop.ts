import type { StopWhy } from '../executor.ts';
import { LongTimer } from '../long-timer.ts';

/**
 * Stops one attempt: fires its signal, then calls `overdue` after the grace period. Created only for attempts
 * that read their signal or are stopped, because a signal costs more than the rest of a short attempt.
 */
export class AttemptStop {
  readonly #abort = new AbortController();
  readonly #overdue: () => void;
  #timers: LongTimer[] = [];
  #signalAt = Number.POSITIVE_INFINITY;
  #overdueAt = Number.POSITIVE_INFINITY;
  #why: StopWhy = '';
  #graceMs: number | null = null;

  /** `overdue` is called if the attempt has not stopped within the grace period. */
  constructor(overdue: () => void) {
    this.#overdue = overdue;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Time that was left until `overdue` when the signal fired; null before. */
  get graceMs(): number | null {
    return this.#graceMs;
  }

  /**
   * Fires the signal after `signalMs`, and calls `overdue` `graceMs` later. A second call can only make it
   * sooner: a drain requested by a node must not delay a worker that is already stopping.
   */
  order(params: { why: StopWhy; signalMs: number; graceMs: number }): void {
    const now = performance.now();
    const signalAt = now + params.signalMs;
    if (signalAt < this.#signalAt) {
      this.#signalAt = signalAt;
      this.#why = params.why;
    }
    this.#overdueAt = Math.min(this.#overdueAt, signalAt + params.graceMs);
    this.#arm(now);
  }

  disarm(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel();
  }

  #arm(now: number): void {
    this.disarm();
    this.#timers = [new LongTimer(this.#overdue, this.#overdueAt - now)];
    if (this.signal.aborted) return;
    if (this.#signalAt <= now) this.#fire();
    else this.#timers.push(new LongTimer(() => this.#fire(), this.#signalAt - now));
  }

  #fire(): void {
    this.#graceMs = Math.max(0, Math.round(this.#overdueAt - performance.now()));
    this.#abort.abort(this.#why);
  }
}
