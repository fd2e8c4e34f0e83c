import { StoreError } from '../errors.ts';

/** Primary result codes of SQLite: the low byte of the extended code. */
const BUSY = 5;
const LOCKED = 6;
const NOMEM = 7;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;
/** Two processes got in each other's way over the locks of the log, for too many tries. */
const PROTOCOL = 15;
/** Another process changed the schema each time the statement was prepared for it. */
const SCHEMA = 17;
const CONSTRAINT = 19;

/**
 * Nothing was written, and the cause may be temporary: a lock, a full or a failing disk. A node stops on all
 * other errors, so a race with another process has to be among these.
 */
const PASSING = new Set([BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL, SCHEMA]);

/** The error for a failure before COMMIT: nothing has been written. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // The file system refuses: a folder or a permission may come back, as with SQLite's CANTOPEN.
  const isSystem = error instanceof Error && 'syscall' in error;
  const isPassing = isSystem || PASSING.has(primaryCode(error));
  return new StoreError(isPassing ? 'unavailable' : 'invalid', `SQLite: ${message}`, {
    cause: error,
  });
}

/**
 * Whether a COMMIT that failed may have been written all the same. When the disk fails, the last
 * frame may be in the log although its flush was not confirmed, and a crash would bring it back.
 * In every other case (busy, full) the frame that completes the transaction is not there.
 */
export function isCommitInDoubt(error: unknown): boolean {
  return primaryCode(error) === IOERR;
}

export function isConstraintFailure(error: unknown): boolean {
  return primaryCode(error) === CONSTRAINT;
}

function primaryCode(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return -1;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : -1;
}
