import type { KindFilter } from '../rule.ts';

/** The worker can run this kind of work; an unknown kind is held, never discarded (U003). */
export const hasExecutor: KindFilter = {
  scope: 'kind',
  reason: 'NO_EXECUTOR',
  wakeOn: ['workerJoined'],
  admits: (shape, kind) => shape.executor === null || kind.executors.includes(shape.executor),
};
