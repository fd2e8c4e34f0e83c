import { sql } from '../statement.ts';

/**
 * Stands before every read and small write, in the same round trip. Ends what takes too long, on
 * the server too. Forbids scans where there is an index: a segment that was created ahead is empty
 * when its plan is made, a scan of it is then the cheapest of all, and the same plan meets
 * millions of rows an hour later. Both settings end with the transaction. Reads no table.
 */
export const readGuard = sql(
  'read_guard',
  () => `
select set_config('statement_timeout', $1::text, true), set_config('enable_seqscan', 'off', true)`,
);
