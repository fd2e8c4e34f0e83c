import { moveTask } from '../facts/moves.ts';
import { PLAIN } from '../model/graph-spec.ts';
import type { Task } from '../model/run.ts';
import type { Core } from './core.ts';

/** Puts a task where it belongs now that nothing upstream holds it: its queue, or its timer. */
export function makeReady(core: Core, task: Task): void {
  if (task.run.state === 'PAUSED') return;
  // What is queued has been due before: a new owner whose clock is behind must not wait for it again.
  if (task.state === 'PENDING' && task.dueAt > core.now) {
    core.wheel.arm(task, task.dueAt);
    return;
  }
  if (task.state === 'PENDING') moveTask(task, 'QUEUED');
  enqueue(core, task);
}

/** A task that returns keeps its order, so that a refusal does not cost it its place. */
export function enqueue(core: Core, task: Task): void {
  if (task.order === 0) task.order = core.takeOrder(core.now);
  const owner = core.ofTenant(task.run.spec.tenant, task.run.class);
  if (owner.queued === 0 || owner.idle) {
    owner.idle = false;
    owner.catchUp(core.now, core.startLevel(owner.class));
    core.queues.rekey(owner);
  }
  core.activate(owner);
  core.queues.push(task, owner);
}

/** Tasks that wait for nothing upstream begin to wait for a worker. */
export function makeRunReady(core: Core, tasks: readonly Task[]): void {
  const [first] = tasks;
  if (tasks.length === 1 && first !== undefined && first.spec.step === PLAIN) {
    if (first.state === 'PENDING') makeReady(core, first);
    return;
  }
  core.watch();
  for (const task of tasks) {
    if (task.state !== 'PENDING') continue;
    // From here on: an event may come before the wait for it begins.
    core.eventWaits.add(task);
    if (task.waitsFor === 0) core.unblocked.push(task);
  }
  core.drain();
}
