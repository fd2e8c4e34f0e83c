import { CLOSE } from '@signalbox/protocol';
import type { WorkerSession } from './session.ts';

/**
 * Closes sessions of workers that vanished without closing: an open session keeps the worker's name from the process
 * that replaces it.
 */
export class SilenceWatch {
  readonly #sessions: ReadonlySet<WorkerSession>;
  readonly #everyMs: number;
  readonly #silentMs: number;
  #timer: NodeJS.Timeout | null = null;
  #lookedAtMs = 0;

  constructor(params: {
    sessions: ReadonlySet<WorkerSession>;
    heartbeatMs: number;
    beatsMissed: number;
  }) {
    this.#sessions = params.sessions;
    this.#everyMs = params.heartbeatMs;
    this.#silentMs = params.heartbeatMs * params.beatsMissed;
  }

  start(): void {
    if (this.#timer !== null) return;
    this.#lookedAtMs = performance.now();
    this.#timer = setInterval(() => this.#look(), this.#everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const now = performance.now();
    // This process was suspended, so the silence says nothing about the workers.
    const stoodStill = now - this.#lookedAtMs > this.#everyMs * 2;
    this.#lookedAtMs = now;
    for (const session of [...this.#sessions]) {
      if (stoodStill) session.heardAtMs = now;
      else if (now - session.heardAtMs > this.#silentMs) {
        session.close(CLOSE.goingAway, 'the worker sent nothing for too long');
      }
    }
  }
}
