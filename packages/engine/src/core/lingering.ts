import type { Attempt } from '../model/run.ts';
import type { Timed } from '../model/timer-wheel.ts';
import type { Worker } from '../model/worker.ts';
import type { Core } from './core.ts';
import { vacate } from './occupy.ts';

/**
 * An attempt that is over for its task but may still occupy its worker: it was superseded, and the
 * worker has been told. Its capacity is not given to others until the worker says that it is gone,
 * or the time to stop has passed; otherwise the worker would be overbooked (PLC-01).
 */
export class Lingering implements Timed {
  readonly kind = 'lingering';
  readonly attempt: Attempt;
  readonly worker: Worker;
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;

  constructor(attempt: Attempt, worker: Worker) {
    this.attempt = attempt;
    this.worker = worker;
  }
}

export function linger(core: Core, attempt: Attempt, forMs: number): void {
  const worker = attempt.worker;
  if (worker === null) return;
  const lingering = new Lingering(attempt, worker);
  worker.lingering.set(attempt, lingering);
  core.wheel.arm(lingering, core.now + forMs);
}

export function endLingering(core: Core, lingering: Lingering): void {
  lingering.worker.lingering.delete(lingering.attempt);
  core.wheel.disarm(lingering);
  vacate(core, lingering.attempt);
}
