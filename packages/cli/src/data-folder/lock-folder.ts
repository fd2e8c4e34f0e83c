import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../user-error.ts';
import { folderError, readDevState } from './data-folder.ts';

const LOCK = 'dev.lock';

/**
 * Locks the folder for this process and returns a function that releases it. The lock is the file lock of a
 * small SQLite file: unlike a file with a process id, it ends with the process, also after a crash.
 */
export function lockFolder(folder: string, jobs: readonly string[] = []): () => void {
  const unlock = tryLock(folder, 0);
  if (unlock !== null) return unlock;
  throw new UserError(
    'conflict',
    `signalbox dev is already running on ${folder}${ownerOf(folder)}`,
    jobs.length === 0
      ? 'use it from this folder, or start another with --data OTHER-FOLDER --port 0'
      : `attach your jobs to it: signalbox apply -f ${jobs.join(' ')} && signalbox worker --jobs ${jobs.join(',')}`,
  );
}

/** Longer than a stopping node takes to release the folder. */
const NODE_WAIT_MS = 10_000;

/**
 * The same for `signalbox node`. Two nodes on one file would share its partitions, but a worker is attached to
 * only one of them: the work of the other would wait without any notice.
 */
export function lockFolderForNode(folder: string, waitMs = NODE_WAIT_MS): () => void {
  const unlock = tryLock(folder, waitMs);
  if (unlock !== null) return unlock;
  throw new UserError(
    'conflict',
    `another node is already running on ${folder}${ownerOf(folder)}`,
    'only one node can use a file; for several nodes give each the same PostgreSQL with --store, or another --data',
  );
}

function tryLock(folder: string, timeout: number): (() => void) | null {
  const path = join(folder, LOCK);
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(path, { timeout });
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw folderError(folder, error);
  }
  return null;
}

function ownerOf(folder: string): string {
  const state = readDevState(folder);
  return state === null ? '' : `, at ${state.url} (process ${state.pid})`;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
