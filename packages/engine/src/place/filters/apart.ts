import type { Attempt, Task } from '../../model/run.ts';
import type { WorkerFilter } from '../rule.ts';

/** PLC-06: tasks that want to be kept apart never share a worker, whichever of them came first. */
export const keptApart: WorkerFilter = {
  scope: 'worker',
  reason: 'KEPT_APART',
  wakeOn: ['workerJoined', 'capacityFreed'],
  admits: (task, worker) => {
    if (worker.repels !== null && names(task).some((name) => worker.repels?.has(name)))
      return false;
    return task.shape.apart.length === 0 || !worker.attempts.some((a) => isNamed(task, a));
  },
};

function isNamed(task: Task, other: Attempt): boolean {
  return names(other.task).some((name) => task.shape.apart.includes(name));
}

function names(task: Task): [string, string] {
  const job = task.run.spec.job;
  return [job, `${job}.${task.spec.name}`];
}
