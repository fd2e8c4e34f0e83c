import { sql } from '../statement.ts';

/**
 * For the rest of the transaction: a schema change that has to wait for a table makes every later
 * commit wait behind it, so it stops waiting soon and is retried.
 */
export const limitLockWait = sql(
  'limit_lock_wait',
  () => `select set_config('lock_timeout', '200ms', true)`,
);
