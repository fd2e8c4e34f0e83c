import { clampToZero, type Worker } from '@signalbox/engine';
import type { WorkerView } from '@signalbox/protocol';

export function workerView(worker: Worker): WorkerView {
  const { name, zone, labels, executors, total } = worker.info;
  return {
    name,
    status: worker.status,
    zone,
    labels: { ...labels },
    executors: [...executors],
    total: { ...total },
    // A worker may hold more than it has; less than nothing is not free.
    free: { ...clampToZero(worker.free) },
    attempts: worker.attempts.length,
    lastSeenAt: new Date(worker.lastSeenAt).toISOString(),
  };
}
