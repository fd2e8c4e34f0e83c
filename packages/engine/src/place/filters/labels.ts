import type { KindFilter } from '../rule.ts';

/** Every label that the task demands is on the worker with the same value. */
export const hasLabels: KindFilter = {
  scope: 'kind',
  reason: 'LABELS_MISMATCH',
  wakeOn: ['workerJoined', 'workerChanged'],
  admits: (shape, kind) =>
    Object.entries(shape.labels).every(([name, value]) => kind.labels[name] === value),
};
