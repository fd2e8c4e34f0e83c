import { dominantShare } from '../model/resources.ts';
import type { Attempt, Task } from '../model/run.ts';
import type { TenantClass } from '../model/tenant-class.ts';
import { repelKey, type Worker } from '../model/worker.ts';
import type { Core } from './core.ts';
import { enqueue } from './enqueue.ts';
import { endReservation } from './reserve.ts';

/** The attempt takes its place on the worker. */
export function occupy(core: Core, attempt: Attempt, worker: Worker): void {
  attempt.worker = worker;
  attempt.workerIndex = worker.attempts.length;
  worker.attempts.push(attempt);
  core.workers.take(worker, attempt.shape);
  const task = attempt.task;
  if (task.spec.critical && worker.criticalCount++ === 0) probeSoon(core, worker);
  // In a fleet of one zone there is nothing to spread, and nothing to count.
  if (core.workers.zoneCount > 1) {
    attempt.zoned = true;
    core.zoneCounts.change(task.run.spec.job, worker.info.zone, 1);
  }
  if (attempt.shape.apart.length > 0) countRepelled(worker, attempt, 1);
}

/** Its first critical attempt: the worker's next check may be as far ahead as silence takes. */
function probeSoon(core: Core, worker: Worker): void {
  const at = core.now + core.settings.probeMs;
  if (worker.timerBucket === null || worker.timerAt > at) core.wheel.arm(worker, at);
}

/** The attempt gives its place back; whoever waited for such a place is looked at again. */
export function vacate(core: Core, attempt: Attempt): void {
  const worker = attempt.worker;
  if (worker === null) return;
  const last = worker.attempts.pop() as Attempt;
  if (last !== attempt) {
    worker.attempts[attempt.workerIndex] = last;
    last.workerIndex = attempt.workerIndex;
  }
  attempt.worker = null;
  core.workers.give(worker, attempt.shape);
  const task = attempt.task;
  if (task.spec.critical) worker.criticalCount--;
  if (attempt.zoned) {
    attempt.zoned = false;
    core.zoneCounts.change(task.run.spec.job, worker.info.zone, -1);
  }
  if (attempt.shape.apart.length > 0) countRepelled(worker, attempt, -1);
  reportDrained(core, worker);
  wake(core, worker);
}

/** Tells once a worker that is being emptied has nothing left. */
export function reportDrained(core: Core, worker: Worker): void {
  if (worker.status !== 'draining' || worker.attempts.length > 0) return;
  core.tell({ kind: 'drained', worker: worker.info.name });
}

/** Room on this worker, or a new worker: what it could take may be tried again (U068). */
export function wake(core: Core, worker: Worker): void {
  endReservation(core, worker);
  for (const task of core.stalled) {
    if (!core.mayTake(task, worker)) continue;
    core.unstall(task);
    enqueue(core, task);
  }
  if (core.queues.blocked.size === 0 || worker.level === null) return;
  for (const shape of core.queues.blocked.values()) {
    const fits = core.admits(shape, worker.level);
    if (fits || !core.queues.isWanted(shape)) core.queues.unblock(shape);
  }
}

/** Ends reservations that nobody waits for any more: what is cancelled sets nothing free. */
export function reviewReservations(core: Core): void {
  for (const worker of [...core.reservations.values()]) {
    if (endReservation(core, worker)) wake(core, worker);
  }
}

/**
 * From now on the attempt is charged to its tenant. What it used before a take-over is not: a node that
 * lost the partition and got it back has charged that already, and a new node knows nothing of what
 * the other tenants used in that time. As a debt it would starve the tenant for as long.
 */
export function charge(core: Core, attempt: Attempt): void {
  attempt.share = dominantShare(attempt.shape.request, core.workers.total);
  const owner = core.ofTenant(attempt.task.run.spec.tenant, attempt.class);
  core.activate(owner);
  attempt.chargedFrom = core.now;
  owner.started(attempt.share, attempt.chargedFrom);
  owner.computeKey(core.now);
  core.queues.rekey(owner);
}

/**
 * The attempt is charged up to now. If it never began, because its worker refused it or did not accept it, its
 * expected use is taken back as well, from its tenant and from the level at which others start. Otherwise a
 * fleet that refuses many assignments leaves a level that nobody has used, and a tenant that begins to wait
 * there is starved until the others reach it.
 */
export function endCharge(core: Core, attempt: Attempt, hasBegun = true): void {
  const owner = core.ofTenant(attempt.task.run.spec.tenant, attempt.class);
  if (hasBegun) owner.ended(attempt.share, attempt.chargedFrom, core.now);
  else owner.withdrawn(attempt.share, attempt.chargedFrom, core.now);
  const key = owner.computeKey(core.now);
  if (!hasBegun) core.lowestKey[owner.class] = Math.min(core.lowestKey[owner.class], key);
  if (owner.held && owner.running < owner.runningMax) release(core, owner);
  else core.queues.rekey(owner);
}

/** A tenant that was at its limit competes again; what it could not use meanwhile is no claim. */
export function release(core: Core, owner: TenantClass): void {
  owner.catchUp(core.now, core.startLevel(owner.class));
  core.queues.resume(owner);
}

function countRepelled(worker: Worker, attempt: Attempt, by: 1 | -1): void {
  worker.repels ??= new Map();
  for (const name of attempt.shape.apart) {
    const key = repelKey(attempt.task.run.spec.tenant, name);
    const count = (worker.repels.get(key) ?? 0) + by;
    if (count > 0) worker.repels.set(key, count);
    else worker.repels.delete(key);
  }
  if (worker.repels.size === 0) worker.repels = null;
}

/** Live attempts of a worker that is not attached wait for it under its name. */
export function orphan(core: Core, task: Task, workerName: string): void {
  let tasks = core.orphans.get(workerName);
  if (tasks === undefined) {
    tasks = new Set();
    core.orphans.set(workerName, tasks);
  }
  tasks.add(task);
}

export function unorphan(core: Core, task: Task, workerName: string): void {
  const tasks = core.orphans.get(workerName);
  if (tasks === undefined) return;
  tasks.delete(task);
  if (tasks.size === 0) core.orphans.delete(workerName);
}
