import { refuseCovered } from '../spans.ts';
import { sql } from '../statement.ts';

/** Before row blocks of ends are written, see `refuseCovered`. */
export const refuseCoveredEnds = sql('refuse_covered_ends', refuseCovered('ends'));
