import { fits } from '../../model/resources.ts';
import type { KindFilter, LevelFilter } from '../rule.ts';

/** PLC-01, PLC-02: what is asked for is free, in every dimension. */
export const enoughFree: LevelFilter = {
  scope: 'level',
  reason: 'NO_WORKER_CAPACITY',
  wakeOn: ['workerJoined', 'capacityFreed'],
  admits: (shape, level) => fits(level.free, shape.request),
};

/** No worker of this size could ever hold it, however empty: waiting does not help, a bigger one does. */
export const largeEnough: KindFilter = {
  scope: 'kind',
  reason: 'REQUEST_TOO_LARGE',
  wakeOn: ['workerJoined'],
  admits: (shape, kind) => fits(kind.total, shape.request),
};
