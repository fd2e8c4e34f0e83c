import pg from 'pg';
import { StoreError, type StoreErrorClass } from '../../errors.ts';

/** Codes, or the classes they begin with, of requests that fail the same way every time. */
const NEVER_SUCCEEDS = ['22', '23', '28', '3D', '3F', '42', '54'];
/** Another transaction was in the way: deadlock, serialization, unique key, lock not available. */
const LOST_A_RACE = ['23505', '40', '55P03'];
/** The server hangs up after these, so its word does not prove that nothing was committed. */
const ENDS_THE_SESSION = ['08', '57P', '58', 'XX'];

/**
 * The error of a failed call. `isCertain`: nothing of it can have been executed, because it was never sent,
 * only reads, or the server has confirmed the rollback.
 */
export function storeErrorOf(error: unknown, isCertain: boolean): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError(classOf(error, isCertain), message, { cause: error });
}

function classOf(error: unknown, isCertain: boolean): StoreErrorClass {
  if (!(error instanceof pg.DatabaseError)) return isCertain ? 'unavailable' : 'unknown';
  if (!isCertain && hasCode(error, ENDS_THE_SESSION)) return 'unknown';
  if (hasCode(error, LOST_A_RACE)) return 'conflict';
  if (hasCode(error, NEVER_SUCCEEDS)) return 'invalid';
  // Disk full, too many connections, shutting down, starting up, a standby, a timeout.
  return 'unavailable';
}

export function hasCode(error: unknown, prefixes: readonly string[]): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code } = error;
  return code !== undefined && prefixes.some((prefix) => code.startsWith(prefix));
}

/** A prepared statement is gone, or its plan no longer fits the schema after a migration. */
const STATEMENT_IS_STALE = ['0A000', '26'];

/** Refusals that wrote nothing and that may not occur again for the same request. */
export function isWorthRepeating(error: pg.DatabaseError): boolean {
  return hasCode(error, ['40', ...STATEMENT_IS_STALE]);
}

/**
 * After these a new connection may succeed: the session has ended, the server has become a standby (the
 * name may resolve to the new primary), or prepared statements are stale.
 */
export function wantsNewConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return hasCode(error, ['25006', '57P', ...STATEMENT_IS_STALE]);
}
