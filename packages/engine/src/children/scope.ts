import { parentsOf } from '../model/graph.ts';
import type { Run, Task } from '../model/run.ts';
import type { Scope } from './ports.ts';

/** The input of a recovered run is in the store only. */
export function lacksInput(run: Run): boolean {
  return run.input === null && run.inputBytes > 0;
}

/** What a condition of the task may look at: the run's input, and what its parents gave. */
export function scopeOf(task: Task, event?: Uint8Array): Scope {
  const { run } = task;
  const tasks = new Map(
    parentsOf(task).map((index) => {
      const { spec, state, output } = run.tasks[index] as Task;
      return [spec.name, { state, output }];
    }),
  );
  return event === undefined ? { input: run.input, tasks } : { input: run.input, tasks, event };
}
