import type { Core } from '../core/core.ts';
import { makeReady } from '../core/enqueue.ts';
import { PLAIN } from '../model/graph-spec.ts';
import type { Task } from '../model/run.ts';

/** A waiting task's time has come; never a moment early (TRG-02), because the wheel is exact. */
export function taskDue(core: Core, task: Task): void {
  if (task.state !== 'PENDING') return;
  if (task.attempts > 0 || task.spec.step === PLAIN) return makeReady(core, task);
  core.unblocked.push(task);
  core.drain();
}
