import type { Core } from '../core/core.ts';
import { reserveRoom } from '../core/reserve.ts';
import { CLASSES, type Class } from '../model/classes.ts';
import type { TaskLane } from '../model/queues.ts';
import type { Task } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';

/** Asks placement for a worker; given in, because stages do not know each other. */
export type Place = (task: Task) => {
  readonly worker: Worker | null;
  readonly score: number;
  readonly onlyThisTask: boolean;
};
export type Assign = (task: Task, worker: Worker, score: number) => void;

/**
 * I13: hands out work until nothing more fits: all of P0 that can be placed before any P1, all of P1
 * before any P2; within a class the tenant that has used least. Answers whether it stopped early.
 */
export function schedule(core: Core, place: Place, assign: Assign): boolean {
  let left = core.settings.assignmentsPerStep;
  for (let klass = 0; klass < CLASSES.length && klass < core.pauseFrom; klass++) {
    for (;;) {
      const lane = core.queues.next(klass as Class);
      if (lane === null) break;
      if (overLimit(lane)) core.queues.hold(lane.owner);
      else {
        if (left === 0) return true;
        if (placeHead(core, lane, place, assign)) left--;
      }
    }
  }
  reserveRoom(core);
  return false;
}

/** A tenant at its limit is passed over, not waited for (I14, TEN-04); P0 knows no limit (PRI-11). */
function overLimit(lane: TaskLane): boolean {
  return lane.owner.class !== 0 && lane.owner.running >= lane.owner.runningMax;
}

function placeHead(core: Core, lane: TaskLane, place: Place, assign: Assign): boolean {
  const task = lane.head() as Task;
  const { worker, score, onlyThisTask } = place(task);
  if (worker !== null) {
    core.fairLevel[lane.owner.class] = lane.owner.fairKey;
    core.servedTenant[lane.owner.class] = lane.owner;
    core.lastServed[lane.owner.class] = ++core.assignments;
    core.queues.take(lane, task);
    assign(task, worker, score);
    return true;
  }
  if (onlyThisTask) {
    core.queues.take(lane, task);
    core.stall(task);
  } else core.queues.block(task.shape, core.assignments);
  return false;
}
