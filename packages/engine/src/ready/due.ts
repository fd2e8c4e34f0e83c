import type { Core } from '../core/core.ts';
import { makeReady } from '../core/enqueue.ts';
import type { Task } from '../model/run.ts';

/** A waiting task's time has come; never a moment early (TRG-02), because the wheel is exact. */
export function taskDue(core: Core, task: Task): void {
  if (task.state === 'PENDING') makeReady(core, task);
}
