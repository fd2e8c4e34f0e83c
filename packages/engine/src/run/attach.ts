import { type Answer, type Command, DONE } from '../commands.ts';
import { begin } from '../core/begin.ts';
import type { Core } from '../core/core.ts';
import { armDeadline } from '../core/deadline.ts';
import { answerStale, findAttempt } from '../core/find-attempt.ts';
import { endLingering, type Lingering } from '../core/lingering.ts';
import { occupy, reportDrained, unorphan, vacate, wake } from '../core/occupy.ts';
import { endReservation } from '../core/reserve.ts';
import { settle } from '../core/settle.ts';
import { requestStop } from '../core/stop.ts';
import { taskRequeued } from '../facts/facts.ts';
import { type Attempt, type AttemptRef, refOf } from '../model/run.ts';
import type { Worker, WorkerInfo } from '../model/worker.ts';
import type { GiveUp } from './deadlines.ts';
import { armWorker } from './liveness.ts';

/**
 * A worker is here, for the first time or again, and says what it holds. What both sides know is
 * adopted and goes on (DUR-19, CLU-11). What only the worker knows is told to stop: it has been
 * superseded. What only this node knows never arrived, and returns to its queue uncharged.
 */
export function attachWorker(
  core: Core,
  command: Command & { kind: 'attachWorker' },
  giveUp: GiveUp,
): Answer {
  const { info, foreignUse, holds } = command;
  const before = core.workers.workers.get(info.name);
  const kept = before?.status === 'detached' ? before.statusKept : before?.status;
  const live = [
    ...orphansOf(core, info.name),
    ...(before === undefined ? [] : leaveOld(core, before)),
  ];
  const worker = core.workers.attach({ info, foreignUse, now: core.now });
  if (kept === 'draining') worker.status = kept;
  if (kept === 'cordoned' && before?.idleSince === null) worker.status = kept;

  const held = new Set<Attempt>();
  for (const ref of holds) {
    const attempt = findAttempt(core, info.name, ref);
    if (attempt !== null) held.add(attempt);
    else answerStale(core, info.name, ref);
  }
  const adopted: AttemptRef[] = [];
  for (const attempt of live) {
    if (attempt.worker !== null) continue;
    if (held.has(attempt)) {
      adopt(core, attempt, worker);
      adopted.push(refOf(attempt));
    } else if (attempt.sent) missing({ core, attempt, giveUp, restarted: isRestart(before, info) });
    // Decided, but still on its way to the store: the worker gets it in a moment.
    else takePlace(core, attempt, worker);
  }
  // The worker cannot know whose they are now: it would report their room as another node's use, and
  // send their results to a node that ignores them.
  if (adopted.length > 0) core.tell({ kind: 'probe', worker: info.name, adopted });
  core.workers.refresh(worker);
  reportDrained(core, worker);
  armWorker(core, worker);
  wake(core, worker);
  return DONE;
}

function orphansOf(core: Core, name: string): Attempt[] {
  return [...(core.orphans.get(name) ?? [])].flatMap((task) => task.attempt ?? []);
}

/** The old connection's record goes; its live attempts are looked at one by one by the caller. */
function leaveOld(core: Core, old: Worker): Attempt[] {
  // Whatever it was: an old record that drains would report `drained` as its attempts leave it.
  old.status = 'detached';
  for (const lingering of [...old.lingering.values()]) endLingering(core, lingering as Lingering);
  const live = [...old.attempts];
  core.wheel.disarm(old);
  endReservation(core, old);
  for (const attempt of live) vacate(core, attempt);
  core.workers.detach(old);
  return live;
}

function takePlace(core: Core, attempt: Attempt, worker: Worker): void {
  unorphan(core, attempt.task, attempt.workerName);
  occupy(core, attempt, worker);
  armDeadline(core, attempt.task);
}

function adopt(core: Core, attempt: Attempt, worker: Worker): void {
  // Its result may come right behind: a deadline that passed while nobody listened waits for it
  // (WRK-09). Once per take-over: a worker that reconnects again and again gains nothing (LIV-06).
  if (attempt.recovered) attempt.notBefore = core.now + core.settings.heartbeatMs;
  attempt.recovered = false;
  takePlace(core, attempt, worker);
  if (attempt.task.state === 'ASSIGNED') begin(core, attempt);
  // A stop that was asked for before may have been lost with the connection, or with the old owner.
  if (attempt.stopWhy !== null) {
    const graceMs = Math.max(0, attempt.stopAt - core.now - core.settings.stopSlackMs);
    const why = attempt.stopWhy;
    core.tell({ kind: 'abort', worker: worker.info.name, ref: refOf(attempt), graceMs, why });
  } else if (attempt.task.run.doomed) {
    const why = attempt.task.run.cancel === null ? 'upstream_failed' : 'cancelled';
    requestStop(core, attempt, why);
  } else if (worker.status === 'draining') {
    // Taken over after the drain was ordered: nobody else would ask it to come to an end.
    requestStop(core, attempt, 'drained');
  }
}

function isRestart(before: Worker | undefined, info: WorkerInfo): boolean {
  return before !== undefined && before.info.instance !== info.instance;
}

/**
 * The worker is here without it. If it had begun, or its process is a new one, it went down with
 * the old process: charged, or a task that kills its worker each time would be tried for ever
 * (F28). Otherwise the assignment was lost on its way and costs the task nothing.
 */
function missing(params: {
  core: Core;
  attempt: Attempt;
  giveUp: GiveUp;
  restarted: boolean;
}): void {
  const { core, attempt } = params;
  const { task, number } = attempt;
  if (task.state === 'RUNNING' || params.restarted) return params.giveUp(task, 'worker_lost', 0);
  const { partition, seq } = task.run;
  const at = core.now;
  const reason = 'never_arrived' as const;
  settle(
    core,
    task,
    taskRequeued({ partition, seq, task: task.index, at, attempt: number, reason }),
  );
}
