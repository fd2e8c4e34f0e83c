import { sql } from '../statement.ts';

/** Entries of one tenant take turns; the turn ends with the transaction. Reads no table. */
export const lockAudit = sql(
  'lock_audit',
  (s) => `
select pg_advisory_xact_lock(hashtextextended('signalbox audit ${s} ' || $1::text, 0))`,
);
