import { type Answer, type Command, DONE } from '../commands.ts';
import { begin } from '../core/begin.ts';
import type { Core } from '../core/core.ts';
import { answerStale, findAttempt, heardFrom } from '../core/find-attempt.ts';
import { leaveWorker } from '../core/lingering.ts';
import { wake } from '../core/occupy.ts';
import { settle } from '../core/settle.ts';
import { taskRequeued } from '../facts/facts.ts';
import { fits } from '../model/resources.ts';
import type { Worker } from '../model/worker.ts';

/** The worker took the attempt: it runs, and its clock starts, here (LIV-06). */
export function accept(core: Core, command: Command & { kind: 'accept' }): Answer {
  heardFrom(core, command.worker);
  const attempt = findAttempt(core, command.worker, command.ref);
  if (attempt === null) {
    answerStale(core, command.worker, command.ref);
    return DONE;
  }
  if (attempt.task.state === 'ASSIGNED') begin(core, attempt);
  return DONE;
}

/** PLC-12: the worker knows better what it has; the task goes elsewhere, uncharged. */
export function refuse(core: Core, command: Command & { kind: 'refuse' }): Answer {
  const worker = heardFrom(core, command.worker);
  const attempt = findAttempt(core, command.worker, command.ref);
  if (attempt === null) {
    if (worker !== null) leaveWorker(core, worker, command.ref);
    return DONE;
  }
  const { task, number } = attempt;
  const { partition, seq } = task.run;
  const at = core.now;
  const fact = {
    partition,
    seq,
    task: task.index,
    at,
    attempt: number,
    reason: 'refused' as const,
  };
  settle(core, task, taskRequeued(fact));
  if (worker === null) return DONE;
  if (command.foreignUse !== null) worker.foreignUse = command.foreignUse;
  core.workers.refresh(worker);
  // Asked again at once it would refuse again, as fast as the two can talk.
  const fitsStill = fits(worker.free, attempt.shape.request);
  if (command.foreignUse === null || fitsStill) rest(core, worker);
  else wake(core, worker);
  return DONE;
}

function rest(core: Core, worker: Worker): void {
  if (worker.status !== 'healthy' && worker.status !== 'resting') return;
  worker.status = 'resting';
  worker.restUntil = core.now + core.settings.restMs;
  core.workers.refresh(worker);
  core.wheel.arm(worker, worker.restUntil);
}
