import { keptApart } from './filters/apart.ts';
import { hasExecutor } from './filters/executor.ts';
import { hasLabels } from './filters/labels.ts';
import { notWhereItWas } from './filters/last-worker.ts';
import { enoughFree, largeEnough } from './filters/resources.ts';
import { inZone } from './filters/zone.ts';
import type { KindFilter, LevelFilter, ScoreRule, WorkerFilter } from './rule.ts';
import { balance } from './scores/balance.ts';
import { locality } from './scores/locality.ts';
import { tightFit } from './scores/tight-fit.ts';
import { zoneSpread } from './scores/zone-spread.ts';

/** Every rule there is, in the order in which diagnosis names them. */
export const KIND_FILTERS: readonly KindFilter[] = [inZone, hasLabels, hasExecutor, largeEnough];
export const LEVEL_FILTERS: readonly LevelFilter[] = [enoughFree];
export const WORKER_FILTERS: readonly WorkerFilter[] = [keptApart];
/** Given up when nothing else fits, instead of leaving the task waiting. */
export const SOFT_WORKER_FILTERS: readonly WorkerFilter[] = [notWhereItWas];
/** Scores that only shape and level decide; kept with the level. */
export const STANDING_SCORES: readonly ScoreRule[] = [locality, tightFit, balance];
/** Scores that change from task to task, by the worker's zone. */
export const MOVING_SCORES: readonly ScoreRule[] = [zoneSpread];
