import type { Task } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';
import type { WorkerIndex } from '../model/worker-index.ts';
import type { BlockReason } from './rule.ts';
import { KIND_FILTERS, LEVEL_FILTERS, WORKER_FILTERS } from './rules.ts';

/** For each reason how many workers it rules out, by the rules that place. Empty where one fits. */
export function explainPlacement(index: WorkerIndex, task: Task): Map<BlockReason, number> {
  const tally = new Map<BlockReason, number>();
  if (index.workers.size === 0) return tally.set('NO_WORKER_ATTACHED', 0);
  for (const worker of index.workers.values()) {
    const reason = whyNot(worker, task);
    if (reason === null) return new Map();
    tally.set(reason, (tally.get(reason) ?? 0) + 1);
  }
  return tally;
}

function whyNot(worker: Worker, task: Task): BlockReason | null {
  for (const rule of KIND_FILTERS) {
    if (!rule.admits(task.shape, worker.workerKind)) return rule.reason;
  }
  if (worker.status !== 'healthy') return 'WORKER_NOT_AVAILABLE';
  if (worker.level === null) return 'WORKER_RESERVED';
  for (const rule of LEVEL_FILTERS) {
    if (!rule.admits(task.shape, worker.level)) return rule.reason;
  }
  for (const rule of WORKER_FILTERS) {
    if (!rule.admits(task, worker)) return rule.reason;
  }
  return null;
}
