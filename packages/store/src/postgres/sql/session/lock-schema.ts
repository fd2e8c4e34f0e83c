import { sql } from '../statement.ts';

/**
 * One schema change at a time, among all nodes. Held until the end of the transaction, so it needs
 * no session of its own; commits and reads do not look at it.
 */
export const lockSchema = sql(
  'lock_schema',
  (s) => `select pg_advisory_xact_lock(hashtextextended('signalbox schema ${s}', 0))`,
);
