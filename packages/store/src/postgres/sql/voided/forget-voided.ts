import { CLOCK_MS, sql } from '../statement.ts';

/** No packet waits a week. A scan of a table that is empty on most days. */
export const forgetVoided = sql(
  'forget_voided',
  (s) => `delete from ${s}.voided where at_ms < ${CLOCK_MS} - 7 * 86400000::bigint`,
);
