import type { Attempt, Task } from '../../model/run.ts';
import { repelKey } from '../../model/worker.ts';
import type { WorkerFilter } from '../rule.ts';

/** PLC-06: tasks that want to be kept apart never share a worker, whichever of them came first. */
export const keptApart: WorkerFilter = {
  scope: 'worker',
  reason: 'KEPT_APART',
  wakeOn: ['workerJoined', 'capacityFreed'],
  admits: (task, worker) => {
    const { tenant } = task.run.spec;
    const { repels, attempts } = worker;
    if (repels !== null && names(task).some((name) => repels.has(repelKey(tenant, name))))
      return false;
    return task.shape.apart.length === 0 || !attempts.some((a) => isNamed(task, a));
  },
};

function isNamed(task: Task, other: Attempt): boolean {
  if (other.task.run.spec.tenant !== task.run.spec.tenant) return false;
  return names(other.task).some((name) => task.shape.apart.includes(name));
}

function names(task: Task): [string, string] {
  const job = task.run.spec.job;
  return [job, `${job}.${task.spec.name}`];
}
