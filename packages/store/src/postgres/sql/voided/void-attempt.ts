import { CLOCK_MS, sql } from '../statement.ts';

/**
 * Makes sure that an attempt to commit can no longer succeed. Runs after `lock-attempt` in one
 * transaction: a transaction that holds the attempt's lock has ended by then, and one that takes it later
 * finds the row. One index probe, one row; normally the table is empty.
 */
export const voidAttempt = sql(
  'void_attempt',
  (s) => `
insert into ${s}.voided (token, at_ms) values ($1::bigint, ${CLOCK_MS}) on conflict do nothing`,
);
