import type { KindFilter } from '../rule.ts';

/** PLC-05: a task that names a zone runs there or waits. */
export const inZone: KindFilter = {
  scope: 'kind',
  reason: 'ZONE_MISMATCH',
  wakeOn: ['workerJoined'],
  admits: (shape, kind) => shape.zone === null || shape.zone === kind.zone,
};
