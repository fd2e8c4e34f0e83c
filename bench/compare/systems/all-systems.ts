import { bullmq } from './bullmq.ts';
import { graphileWorker, graphileWorkerPlain } from './graphile-worker.ts';
import { pgBoss } from './pg-boss.ts';
import { river } from './river.ts';
import { signalboxSystems } from './signalbox.ts';
import type { System } from './system.ts';
import { temporal } from './temporal.ts';

/** Every system that can be measured; a new one gets a line here. */
export const ALL_SYSTEMS: readonly System[] = [
  ...signalboxSystems,
  graphileWorker,
  graphileWorkerPlain,
  pgBoss,
  bullmq,
  river,
  temporal,
];
