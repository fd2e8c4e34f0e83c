import { aboutTask } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import {
  taskFailed,
  taskQuarantined,
  taskRequeued,
  taskRetryAt,
  taskTimedOut,
} from '../facts/facts.ts';
import type { Reason } from '../facts/reasons.ts';
import { RANGES } from '../model/ranges.ts';
import type { Task } from '../model/run.ts';
import { backOffMs } from './back-off.ts';

export interface Failure {
  readonly reason: Reason;
  readonly error: string;
  readonly retryAfterMs?: number;
  readonly lingerMs: number;
}

/** Reserves a place among the retries; given in, because limits are a stage of their own. */
export type ReserveRetry = (params: {
  at: number;
  now: number;
  reason: string;
  job: string;
}) => number;

/** What a charged failure leads to: another try, or the end that fits its reason. */
export function failTask(core: Core, task: Task, failure: Failure, reserve: ReserveRetry): void {
  const { partition, seq } = task.run;
  const attempt = task.attempt?.number ?? 0;
  const of = { partition, seq, task: task.index, at: core.now, attempt };
  const { reason, error, lingerMs } = failure;
  if (reason === 'permanent')
    return settle(core, task, taskFailed({ ...of, reason, error }), lingerMs);
  const policy = task.spec.retry;
  const failures = task.charged + 1;
  const timedOut = reason === 'timeout' || reason === 'stuck';
  if (failures >= policy.attemptsMax || (timedOut && policy.onTimeout === 'end')) {
    return exhausted(core, task, { ...failure, of, timedOut });
  }
  const delayMs = Math.max(backOffMs(policy, failures, core.random), retryAfterOf(failure));
  const job = `${task.run.spec.tenant}/${task.run.spec.job}`;
  const dueAt = reserve({ at: core.now + delayMs, now: core.now, reason, job });
  const memoryMb = reason === 'resource' ? moreMemory(core, task) : 0;
  settle(core, task, taskRetryAt({ ...of, reason, error, dueAt, memoryMb }), lingerMs);
}

/** A report is never refused for it: the worker would send the result again, and the task would wait. */
function retryAfterOf({ retryAfterMs = 0 }: Failure): number {
  const { max } = RANGES['report.retryAfter'];
  return retryAfterMs > 0 ? Math.min(Math.round(retryAfterMs), max) : 0;
}

function exhausted(
  core: Core,
  task: Task,
  failure: Failure & {
    of: { partition: number; seq: number; task: number; at: number; attempt: number };
    timedOut: boolean;
  },
): void {
  const { of, reason, error, lingerMs } = failure;
  // FLT-15: a task that ended because of its time says so, whatever its policy is.
  if (failure.timedOut) return settle(core, task, taskTimedOut({ ...of, reason, error }), lingerMs);
  // Whoever cancelled it does not want to look into it: `settle` makes this the end of it.
  if (task.run.doomed) return settle(core, task, taskRequeued({ ...of, reason }), lingerMs);
  if (task.spec.retry.onExhausted === 'fail') {
    return settle(core, task, taskFailed({ ...of, reason, error }), lingerMs);
  }
  const about = { ...aboutTask(task), since: core.now, reason };
  core.tell({ kind: 'alert', alert: 'quarantined', about });
  settle(core, task, taskQuarantined({ ...of, reason, error }), lingerMs);
}

/** FLT-03: after running out of memory the next attempt asks for more, up to the cap. */
function moreMemory(core: Core, task: Task): number {
  const { memoryMb } = task.shape.request;
  if (memoryMb === 0) return 0;
  const { memoryFactor, memoryMbMax } = core.settings;
  // A request above the cap is its author's; less than before would not help.
  return Math.max(memoryMb, Math.min(Math.ceil(memoryMb * memoryFactor), memoryMbMax));
}
