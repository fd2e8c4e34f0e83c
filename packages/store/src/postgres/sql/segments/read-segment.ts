import { CLOCK_MS, sql } from '../statement.ts';

/** By primary key; locked, so that sealing and dropping the same segment take turns. */
export const readSegment = sql(
  'read_segment',
  (s) => `
select to_ms, state, to_ms <= ${CLOCK_MS} as is_past
from ${s}.segments where from_ms = $1::bigint
for update`,
);
