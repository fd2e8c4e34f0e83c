import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { requestStop } from '../core/stop.ts';
import { taskCancelled } from '../facts/facts.ts';
import { childrenOf, graphOf, isFailure } from '../model/graph.ts';
import type { Run, Task } from '../model/run.ts';
import { endWait } from './wait.ts';

/**
 * What the end of a task means for the others of its run: those that waited for nothing else are
 * looked at. Where the run fails fast, a failure ends it: what has not begun is cancelled, what runs
 * is asked to stop.
 */
export function taskEnded(core: Core, task: Task): void {
  const { run } = task;
  if (task.spec.step.wait !== null) endWait(core, task);
  if (run.openTasks === 0) {
    if (run.graph !== null) core.pacer.drop(run);
    return;
  }
  if (run.doomed) {
    // Whoever cancels sees to the others itself; doing it here again would nest as deep as the run
    // is wide.
    if (isFailure(task.state) && run.cancel === null) failFast(core, run);
    return;
  }
  for (const index of childrenOf(task)) {
    const child = run.tasks[index] as Task;
    if (child.waitsFor === 0 && child.state === 'PENDING') core.unblocked.push(child);
  }
  drain(core);
}

/**
 * With a list instead of recursion: each task that is skipped may release the next, and a chain of
 * a hundred thousand of them must not overflow the stack.
 */
export function drain(core: Core): void {
  if (core.draining) return;
  core.draining = true;
  for (let task = core.unblocked.shift(); task !== undefined; task = core.unblocked.shift()) {
    core.evaluate(task);
  }
  core.draining = false;
}

/** Once for a run: every task that fails while it is being stopped comes here again. */
function failFast(core: Core, run: Run): void {
  const graph = graphOf(run);
  if (graph.stopping) return;
  graph.stopping = true;
  for (const other of run.tasks) {
    if (other.state === 'PENDING' || other.state === 'QUEUED') {
      settle(core, other, cancelOf(core, other));
    } else if (other.attempt !== null) requestStop(core, other.attempt, 'upstream_failed');
  }
}

export function cancelOf(core: Core, task: Task) {
  return taskCancelled({
    partition: task.run.partition,
    seq: task.run.seq,
    task: task.index,
    at: core.now,
    attempt: 0,
    reason: 'upstream_failed',
  });
}
