import { sql } from '../statement.ts';

/** As `listSegments`, without dropped segments. */
export const listKeptSegments = sql(
  'list_kept_segments',
  (s) => `
select from_ms, to_ms, state, sealed_at_ms
from ${s}.segments where state <> 'dropped' order by from_ms`,
);
