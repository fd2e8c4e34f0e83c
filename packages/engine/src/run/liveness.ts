import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { armDeadline } from '../core/deadline.ts';
import { answerStale, findAttempt, heardFrom } from '../core/find-attempt.ts';
import { endLingering, type Lingering } from '../core/lingering.ts';
import { orphan, vacate, wake } from '../core/occupy.ts';
import { endReservation } from '../core/reserve.ts';
import { isSame } from '../model/resources.ts';
import type { Worker } from '../model/worker.ts';
import { type GiveUp, silenceOf } from './deadlines.ts';

/** Arms the worker's next check: rest over, time to probe, or silent for too long. */
export function armWorker(core: Core, worker: Worker): void {
  const { silentMs, reattachMs, probeMs, probeSilentMs } = core.settings;
  let at = worker.lastSeenAt + silentMs;
  if (worker.status === 'detached') at = Math.min(at, worker.detachedAt + reattachMs);
  if (worker.status === 'resting') at = Math.min(at, worker.restUntil);
  if (worker.criticalCount > 0) {
    at = Math.min(at, core.now + probeMs, worker.lastSeenAt + probeSilentMs);
  }
  core.wheel.arm(worker, at);
}

/** LIV-01: the beat says that the worker lives, what else it holds, and how its tasks move. */
export function beat(core: Core, command: Command & { kind: 'beat' }): Answer {
  const worker = heardFrom(core, command.worker);
  for (const { ref, value } of command.progress) {
    const attempt = findAttempt(core, command.worker, ref);
    if (attempt === null) {
      // LIV-09: a beat for a task that has gone elsewhere is answered, so that the worker stops it.
      answerStale(core, command.worker, ref);
      continue;
    }
    if (value === attempt.progress) continue;
    attempt.progress = value;
    attempt.progressAt = core.now;
    if (attempt.task.state === 'RUNNING') armDeadline(core, attempt.task);
  }
  if (worker === null) return DONE;
  // A beat that says nothing new is no cause to look at anything again (U068).
  if (!isSame(worker.foreignUse, command.foreignUse)) {
    worker.foreignUse = command.foreignUse;
    core.workers.refresh(worker);
    wake(core, worker);
  }
  if (worker.criticalCount > 0) armWorker(core, worker);
  return DONE;
}

/** The connection closed. Its attempts go on there; it has a moment to come back (F3). */
export function detachWorker(core: Core, command: Command & { kind: 'detachWorker' }): Answer {
  const worker = core.workers.workers.get(command.worker);
  if (worker === undefined || worker.status === 'detached') return DONE;
  worker.statusKept = worker.status;
  worker.status = 'detached';
  worker.detachedAt = core.now;
  endReservation(core, worker);
  core.workers.refresh(worker);
  armWorker(core, worker);
  return DONE;
}

/** When the worker is given up unless it is heard of before. */
export function workerLostAt(core: Core, worker: Worker): number {
  const { silentMs, reattachMs, probeSilentMs } = core.settings;
  const limit = worker.criticalCount > 0 ? Math.min(silentMs, probeSilentMs) : silentMs;
  const silentAt = worker.lastSeenAt + limit;
  return worker.status === 'detached'
    ? Math.min(silentAt, worker.detachedAt + reattachMs)
    : silentAt;
}

export function workerDue(core: Core, worker: Worker, giveUp: GiveUp): void {
  const { heartbeatMs } = core.settings;
  const silentFor = core.now - worker.lastSeenAt;
  worker.missedBeats = Math.floor(silentFor / heartbeatMs);
  if (core.now >= workerLostAt(core, worker)) return loseWorker(core, worker, giveUp);
  if (worker.status === 'resting' && core.now >= worker.restUntil) {
    worker.status = 'healthy';
    core.workers.refresh(worker);
    wake(core, worker);
  }
  if (worker.criticalCount > 0) core.tell({ kind: 'probe', worker: worker.info.name });
  armWorker(core, worker);
}

/** LIV-02: the worker is dead to us; its attempts are charged and tried elsewhere. */
function loseWorker(core: Core, worker: Worker, giveUp: GiveUp): void {
  const about = { worker: worker.info.name, since: worker.lastSeenAt };
  core.tell({ kind: 'alert', alert: 'workerLost', about });
  core.wheel.disarm(worker);
  worker.status = 'detached';
  endReservation(core, worker);
  for (const lingering of [...worker.lingering.values()])
    endLingering(core, lingering as Lingering);
  const live = [...worker.attempts];
  for (const attempt of live) vacate(core, attempt);
  core.workers.detach(worker);
  for (const attempt of live) {
    orphan(core, attempt.task, attempt.workerName);
    giveUp(attempt.task, silenceOf(attempt.task), 0);
  }
}

/**
 * The node itself stood still, or could not commit: what it did not hear in that time says nothing
 * about the workers. Everybody gets one fresh term, or a stalled node would reap its whole fleet.
 */
export function freshen(core: Core): Answer {
  for (const worker of core.workers.workers.values()) {
    worker.lastSeenAt = core.now;
    if (worker.status === 'detached') worker.detachedAt = core.now;
    armWorker(core, worker);
  }
  for (const tasks of core.orphans.values()) {
    for (const task of tasks) {
      if (task.attempt === null) continue;
      task.attempt.orphanUntil = core.now + core.settings.silentMs;
      armDeadline(core, task);
    }
  }
  return DONE;
}
