import { sql } from '../statement.ts';

/** Waits until an attempt that is under way has ended, one way or the other. Reads no table. */
export const lockAttempt = sql('lock_attempt', () => 'select pg_advisory_xact_lock($1::bigint)');
