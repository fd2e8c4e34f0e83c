import { setTimeout } from 'node:timers/promises';

/** What event streams need of the clock. The simulator hands in its own. */
export interface StreamTimers {
  /** Calls back when this turn is over. */
  soon(callback: () => void): void;
  /** Calls back again and again; answers how to stop. */
  every(ms: number, callback: () => void): () => void;
  /** Rejects once the signal is given. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const REAL_TIMERS: StreamTimers = {
  soon: (callback) => void setImmediate(callback),
  every: (ms, callback) => {
    const timer = setInterval(callback, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
};
