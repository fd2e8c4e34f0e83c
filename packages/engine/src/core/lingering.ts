import type { Attempt, AttemptRef } from '../model/run.ts';
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

/** A superseded attempt has left its worker, or was never taken: the place that was kept for it is free. */
export function leaveWorker(core: Core, worker: Worker, ref: AttemptRef): void {
  const lingering = lingeringOf(worker, ref);
  if (lingering !== null) endLingering(core, lingering);
}

/**
 * The worker is told that the attempt is stale, and does not answer that: it stops the attempt at once,
 * whatever grace it was given before, and reports what does not stop as used. To wait for the grace
 * would keep the place of an attempt that is gone, for up to a year.
 */
export function lingerShortly(core: Core, worker: Worker, ref: AttemptRef): void {
  const lingering = lingeringOf(worker, ref);
  if (lingering === null) return;
  const at = core.now + core.settings.stopSlackMs;
  if (at < lingering.timerAt) core.wheel.arm(lingering, at);
}

function lingeringOf(worker: Worker, ref: AttemptRef): Lingering | null {
  for (const lingering of worker.lingering.values()) {
    const { attempt } = lingering as Lingering;
    const { run } = attempt.task;
    if (attempt.token !== ref.token || attempt.epoch !== ref.epoch) continue;
    if (run.partition === ref.partition && run.seq === ref.seq) return lingering as Lingering;
  }
  return null;
}
