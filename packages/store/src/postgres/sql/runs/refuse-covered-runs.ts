import { refuseCovered } from '../spans.ts';
import { sql } from '../statement.ts';

/** Before row blocks of runs are written, see `refuseCovered`. */
export const refuseCoveredRuns = sql('refuse_covered_runs', refuseCovered('runs'));
