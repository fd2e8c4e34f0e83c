import { DatabaseSync } from 'node:sqlite';
import { toStoreError } from './failure.ts';
import { makePrivate } from './private-file.ts';

/**
 * How long a call waits for another process's transaction. It blocks this process's only thread,
 * so it is short: the caller gets `unavailable`, does other work and retries.
 */
const BUSY_TIMEOUT_MS = 500;

/**
 * Opens the file. Several processes may share it: WAL readers see one committed state, writers
 * queue for the one write lock that every write takes first, and the fence is in the file. So a
 * command-line tool can read while a node runs, and a second node is safe.
 */
export function openFile(path: string): DatabaseSync {
  try {
    if (path !== ':memory:') makePrivate(path);
    const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    // Fewer pages per commit of some hundred rows. 4096 and 16384 are within the noise of this.
    db.exec('PRAGMA page_size = 8192');
    db.exec('PRAGMA journal_mode = WAL');
    // Each commit is flushed: NORMAL would lose the last acknowledged commits in a power failure.
    db.exec('PRAGMA synchronous = FULL');
    // 32 MB of log between checkpoints, so that they are rare; the rate is the same with 8 MB.
    db.exec('PRAGMA wal_autocheckpoint = 4000');
    db.exec('PRAGMA journal_size_limit = 67108864');
    db.exec('PRAGMA cache_size = -65536');
    db.exec('PRAGMA temp_store = MEMORY');
    return db;
  } catch (error) {
    throw toStoreError(error);
  }
}
