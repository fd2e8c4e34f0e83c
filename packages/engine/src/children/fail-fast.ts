import type { Core } from '../core/core.ts';
import { makeReady } from '../core/enqueue.ts';
import { settle } from '../core/settle.ts';
import { requestStop } from '../core/stop.ts';
import { taskCancelled } from '../facts/facts.ts';
import type { Task } from '../model/run.ts';

/**
 * What the end of a task means for the others of its run: success releases the children that
 * waited for it, anything else ends the run (FAIL_FAST): what has not begun is cancelled, what
 * runs is asked to stop.
 */
export function taskEnded(core: Core, task: Task): void {
  const run = task.run;
  // Whoever cancels one task of a run sees to the others itself; doing it here again would nest as
  // deep as the run is wide.
  if (run.openTasks === 0 || task.state === 'CANCELLED') return;
  if (task.state === 'SUCCEEDED') {
    for (const index of task.spec.before) {
      const child = run.tasks[index] as Task;
      if (child.waitsFor === 0 && child.state === 'PENDING') makeReady(core, child);
    }
    return;
  }
  for (const other of run.tasks) {
    if (other.state === 'PENDING' || other.state === 'QUEUED') {
      settle(core, other, cancelOf(core, other));
    } else if (other.attempt !== null) requestStop(core, other.attempt, 'upstream_failed');
  }
}

function cancelOf(core: Core, task: Task) {
  return taskCancelled({
    partition: task.run.partition,
    seq: task.run.seq,
    task: task.index,
    at: core.now,
    attempt: 0,
    reason: task.run.cancel === null ? 'upstream_failed' : 'cancelled',
  });
}
