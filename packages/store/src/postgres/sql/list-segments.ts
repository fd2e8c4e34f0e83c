import { sql } from './statement.ts';

/** A scan of a small table: one row per segment that was ever made. */
export const listSegments = sql(
  'list_segments',
  (s) => `select from_ms, to_ms, state from ${s}.segments order by from_ms`,
);

/** As above, without those that are gone. */
export const listKeptSegments = sql(
  'list_kept_segments',
  (s) => `
select from_ms, to_ms, state, sealed_at_ms
from ${s}.segments where state <> 'dropped' order by from_ms`,
);
