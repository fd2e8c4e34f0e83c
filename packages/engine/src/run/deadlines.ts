import { aboutTask } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import {
  acceptanceAt,
  armDeadline,
  hardTimeoutAt,
  softTimeoutAt,
  stuckAt,
} from '../core/deadline.ts';
import { UNACCEPTED_MAX } from '../core/find-attempt.ts';
import { settle } from '../core/settle.ts';
import { requestStop } from '../core/stop.ts';
import { taskRequeued } from '../facts/facts.ts';
import { type Attempt, refOf, type Task } from '../model/run.ts';

/** How an attempt that ended without its worker's word is settled; given in by the engine. */
export type GiveUp = (
  task: Task,
  reason: 'worker_lost' | 'not_accepted' | 'stopped',
  lingerMs: number,
) => void;

/** What the silence of its worker means for an attempt: one that never began has done nothing. */
export function silenceOf(task: Task): 'worker_lost' | 'not_accepted' {
  return task.state === 'ASSIGNED' ? 'not_accepted' : 'worker_lost';
}

/** Something about a live attempt is due: warn, stop, take back, or give up. */
export function attemptDue(core: Core, task: Task, giveUp: GiveUp): void {
  const attempt = task.attempt as Attempt;
  const acceptedBy = acceptanceAt(core, attempt);
  if (acceptedBy !== null && acceptedBy <= core.now) return takeBack(core, attempt);
  if (attempt.stopAt !== 0) {
    // Asked to stop a moment ago, by something else that was due: its grace has only begun.
    return attempt.stopAt > core.now ? armDeadline(core, task) : forceStop(core, attempt, giveUp);
  }
  if (attempt.worker === null) return giveUp(task, silenceOf(task), 0);
  const soft = softTimeoutAt(core, attempt);
  if (soft !== null && soft <= core.now) {
    attempt.softAlerted = true;
    const about = {
      ...aboutTask(task),
      worker: attempt.workerName,
      since: attempt.startedAt,
    };
    core.tell({ kind: 'alert', alert: 'softTimeout', about });
  }
  if (attempt.hardAt > 0 && hardTimeoutAt(attempt) <= core.now)
    requestStop(core, attempt, 'timeout');
  else if ((stuckAt(core, attempt) ?? Number.POSITIVE_INFINITY) <= core.now) {
    requestStop(core, attempt, 'stuck');
  } else armDeadline(core, task);
}

/** The grace is over and the worker said nothing: from here on the attempt is superseded. */
function forceStop(core: Core, attempt: Attempt, giveUp: GiveUp): void {
  core.tell({ kind: 'stale', worker: attempt.workerName, ref: refOf(attempt) });
  giveUp(attempt.task, 'stopped', core.settings.stopSlackMs);
}

/**
 * PLC-10: not accepted in time. Back to the queue uncharged; the worker is suspect until heard of. A worker
 * that keeps sending heartbeats without starting anything would hold up one task after the other, so it
 * is cordoned until it attaches again, a person uncordons it, or it is tried again (`heardFrom`).
 */
function takeBack(core: Core, attempt: Attempt): void {
  const { task, worker, number } = attempt;
  const { partition, seq } = task.run;
  core.tell({ kind: 'stale', worker: attempt.workerName, ref: refOf(attempt) });
  const at = core.now;
  const reason = 'not_accepted' as const;
  const fact = taskRequeued({ partition, seq, task: task.index, at, attempt: number, reason });
  // It may have arrived after all and be running: its place stays taken while the worker stops it.
  settle(core, task, fact, core.settings.stopSlackMs);
  if (worker === null || worker.status !== 'healthy') return;
  worker.unaccepted++;
  worker.status = worker.unaccepted < UNACCEPTED_MAX ? 'suspect' : 'cordoned';
  core.workers.refresh(worker);
  if (worker.status === 'suspect') return;
  worker.idleSince = core.now;
  const about = { worker: worker.info.name, since: core.now };
  core.tell({ kind: 'alert', alert: 'workerIdle', about });
}
