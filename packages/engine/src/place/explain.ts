import type { Task } from '../model/run.ts';
import type { Shape } from '../model/shape.ts';
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

export interface NearestWorker {
  readonly worker: Worker;
  /** Every standing demand of the shape that the worker does not meet. */
  readonly missing: readonly BlockReason[];
}

/**
 * The worker that meets most of what a shape demands of a worker's standing properties; null without
 * workers. Of two that lack as much, the one with the executor is nearer: labels are quicker to add
 * than code.
 */
export function nearestWorker(index: WorkerIndex, shape: Shape): NearestWorker | null {
  let nearest: NearestWorker | null = null;
  const kinds = new Set<number>();
  for (const worker of index.workers.values()) {
    const { workerKind } = worker;
    if (kinds.has(workerKind.id)) continue;
    kinds.add(workerKind.id);
    const missing = KIND_FILTERS.flatMap((rule) =>
      rule.admits(shape, workerKind) ? [] : [rule.reason],
    );
    if (nearest === null || distance(missing) < distance(nearest.missing)) {
      nearest = { worker, missing };
    }
  }
  return nearest;
}

function distance(missing: readonly BlockReason[]): number {
  return missing.length + (missing.includes('NO_EXECUTOR') ? 0.5 : 0);
}

/** Workers that could run the shape by their standing properties and take nothing new. */
export function unavailableWorkers(index: WorkerIndex, shape: Shape): Worker[] {
  return [...index.workers.values()].filter(
    ({ status, workerKind }) =>
      status !== 'healthy' && KIND_FILTERS.every((rule) => rule.admits(shape, workerKind)),
  );
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
