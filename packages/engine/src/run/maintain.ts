import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { reportDrained, wake } from '../core/occupy.ts';
import { settle } from '../core/settle.ts';
import { requestStop } from '../core/stop.ts';
import { taskRequeued } from '../facts/facts.ts';
import { refOf } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';

const NO_SUCH_WORKER: Answer = {
  kind: 'refused',
  code: 'not_found',
  message: 'no worker with this name is attached',
};

/**
 * WRK-07: the worker gets nothing new and its attempts are asked to come to an end: short ones
 * finish within their grace, long ones save a checkpoint and stop, and are queued again uncharged.
 */
export function drainWorker(core: Core, name: string): Answer {
  const worker = core.workers.workers.get(name);
  if (worker === undefined) return NO_SUCH_WORKER;
  setStatus(core, worker, 'draining');
  for (const attempt of worker.attempts) {
    if (!worker.lingering.has(attempt)) requestStop(core, attempt, 'drained');
  }
  reportDrained(core, worker);
  return DONE;
}

/** Unschedulable, but otherwise live. */
export function cordonWorker(core: Core, name: string): Answer {
  const worker = core.workers.workers.get(name);
  if (worker === undefined) return NO_SUCH_WORKER;
  worker.idleSince = null;
  setStatus(core, worker, 'cordoned');
  return DONE;
}

export function uncordonWorker(core: Core, name: string): Answer {
  const worker = core.workers.workers.get(name);
  if (worker === undefined) return NO_SUCH_WORKER;
  const status = worker.status === 'detached' ? worker.statusKept : worker.status;
  if (status === 'cordoned' || status === 'draining') {
    worker.unaccepted = 0;
    worker.idleSince = null;
    setStatus(core, worker, 'healthy');
    wake(core, worker);
  }
  return DONE;
}

/** Takes everything off the worker at once: queued again, uncharged, and fenced. */
export function evictWorker(core: Core, command: Command & { kind: 'evictWorker' }): Answer {
  const worker = core.workers.workers.get(command.worker);
  if (worker === undefined) return NO_SUCH_WORKER;
  for (const attempt of [...worker.attempts]) {
    if (worker.lingering.has(attempt)) continue;
    const { task, number } = attempt;
    const { partition, seq } = task.run;
    const graceMs = task.spec.timeouts.graceMs;
    const at = core.now;
    const reason = 'evicted' as const;
    core.tell({
      kind: 'abort',
      worker: command.worker,
      ref: refOf(attempt),
      graceMs,
      why: 'evicted',
    });
    const fact = taskRequeued({ partition, seq, task: task.index, at, attempt: number, reason });
    settle(core, task, fact, graceMs + core.settings.stopSlackMs);
  }
  return DONE;
}

/** A worker whose connection is gone takes the status up when it is back. */
function setStatus(core: Core, worker: Worker, status: Worker['status']): void {
  if (worker.status === 'detached') worker.statusKept = status;
  else worker.status = status;
  core.workers.refresh(worker);
}
