import { sql } from '../statement.ts';

/** A scan of a small table: one row per segment that was ever created. */
export const listSegments = sql(
  'list_segments',
  (s) => `select from_ms, to_ms, state from ${s}.segments order by from_ms`,
);
