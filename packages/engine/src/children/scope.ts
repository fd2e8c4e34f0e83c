import { isFannedOut, parentsOf } from '../model/graph.ts';
import type { Run, Task } from '../model/run.ts';
import { groupOutputSeen, isTooLargeToSee } from './group-output.ts';
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
      const parent = run.tasks[index] as Task;
      const output = isFannedOut(parent) ? groupOutputSeen(parent) : parent.output;
      return [parent.spec.name, { state: parent.state, output }];
    }),
  );
  return event === undefined ? { input: run.input, tasks } : { input: run.input, tasks, event };
}

/** What a condition could not see, for whoever wonders why it cannot be evaluated. */
export function unseenBy(task: Task): string {
  const parents = parentsOf(task).map((index) => task.run.tasks[index] as Task);
  const large = parents.filter((parent) => isFannedOut(parent) && isTooLargeToSee(parent));
  if (large.length === 0) return '';
  return `; the results of ${large.map(({ spec }) => spec.name).join(', ')} are too large for a condition to read`;
}
