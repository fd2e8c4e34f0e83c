import type { StopWhy } from '../executor.ts';
import { LongTimer } from '../long-timer.ts';

/**
 * How one attempt is told to stop: its signal, and force behind it. Made for the few attempts that
 * read their signal or are stopped: a signal costs more than all the rest of a short attempt.
 */
export class AttemptStop {
  readonly #abort = new AbortController();
  readonly #overdue: () => void;
  #timers: LongTimer[] = [];
  #signalAt = Number.POSITIVE_INFINITY;
  #forceAt = Number.POSITIVE_INFINITY;
  #why: StopWhy = '';
  #graceMs: number | null = null;

  /** `overdue`: the grace is over and it has not stopped. */
  constructor(overdue: () => void) {
    this.#overdue = overdue;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What was left until force when the signal fired; null before. */
  get graceMs(): number | null {
    return this.#graceMs;
  }

  /**
   * Signal after `signalMs`, force `graceMs` behind it. A second call can only make it sooner: a
   * node that drains a worker which is already leaving must not give it more time than it has.
   */
  order(params: { why: StopWhy; signalMs: number; graceMs: number }): void {
    const now = performance.now();
    const signalAt = now + params.signalMs;
    if (signalAt < this.#signalAt) {
      this.#signalAt = signalAt;
      this.#why = params.why;
    }
    this.#forceAt = Math.min(this.#forceAt, signalAt + params.graceMs);
    this.#arm(now);
  }

  disarm(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel();
  }

  #arm(now: number): void {
    this.disarm();
    this.#timers = [new LongTimer(this.#overdue, this.#forceAt - now)];
    if (this.signal.aborted) return;
    if (this.#signalAt <= now) this.#fire();
    else this.#timers.push(new LongTimer(() => this.#fire(), this.#signalAt - now));
  }

  #fire(): void {
    this.#graceMs = Math.max(0, Math.round(this.#forceAt - performance.now()));
    this.#abort.abort(this.#why);
  }
}
