import type { Core } from '../core/core.ts';
import type { Task } from '../model/run.ts';

/** What every fact about a task without an attempt begins with. */
export function of(core: Core, task: Task) {
  const { partition, seq } = task.run;
  return { partition, seq, task: task.index, at: core.now, attempt: 0 };
}
