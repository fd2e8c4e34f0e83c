import { type Attempt, refOf, type StopReason } from '../model/run.ts';
import type { Core } from './core.ts';
import { armDeadline } from './deadline.ts';

/**
 * Asks the worker to stop an attempt: abort signal now, force after the grace. The attempt stays
 * live until the worker answers or the grace is over, so that its next try does not run beside it.
 */
export function requestStop(core: Core, attempt: Attempt, why: StopReason): void {
  if (attempt.stopAt !== 0) return;
  const graceMs = attempt.task.spec.timeouts.graceMs;
  attempt.stopWhy = why;
  attempt.stopAt = core.now + graceMs + core.settings.stopSlackMs;
  armDeadline(core, attempt.task);
  core.tell({ kind: 'abort', worker: attempt.workerName, ref: refOf(attempt), graceMs, why });
}
