import type { WorkerFilter } from '../rule.ts';

/** FLT-12: not where the previous attempt ended, as long as another worker fits. */
export const notWhereItWas: WorkerFilter = {
  scope: 'worker',
  reason: 'TRIED_THERE_LAST',
  wakeOn: ['workerJoined', 'capacityFreed'],
  admits: (task, worker) => task.lastWorker !== worker.info.name,
};
